import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { parseCapabilities } from '../src/tools/component/capabilities/parse-capabilities.ts';
import type { Tool } from '../src/tools/tool.ts';
import { openChromium } from '../test/browser/open-chromium.ts';
import { startStage } from '../test/browser/stage.ts';
import { waitFor } from '../test/support/wait-for.ts';

/**
 * `npm run pictures:gates`: ten approvals as the card of the browser shows them, into docs/pictures. With `--look FOLDER`, in both
 * themes and on a phone into another folder, to look at.
 */
const { values: given } = parseArgs({ options: { look: { type: 'string' }, language: { type: 'string' } } });
const FOLDER = path.resolve(given.look ?? 'docs/pictures');
const LOOKS = given.look
  ? ([
      { name: '-light', theme: 'light', width: 1024, height: 1400 },
      { name: '-dark', theme: 'dark', width: 1024, height: 1400 },
      { name: '-phone', theme: 'light', width: 390, height: 1400, touch: true },
    ] as const)
  : ([{ name: '', theme: 'light', width: 1024, height: 1400 }] as const);

const weather = parseCapabilities(await readFile('examples/tools/weather/weather.capabilities.json', 'utf8'));
const tool = (name: string, more: Partial<Tool>, parameters: object = { type: 'object' }): Tool => ({
  definition: { name, description: null, parameters: { ...parameters }, strict: null },
  repeatable: false,
  level: 'ask',
  call: async () => 'done',
  ...more,
});
const TOOLS: Tool[] = [
  tool('weather', { ...(weather.card && { card: weather.card }) }),
  {
    ...tool('tracker__create_ticket', { server: 'tracker', title: 'Create a ticket', revision: '1' }),
    definition: {
      name: 'tracker__create_ticket',
      description: 'Creates a ticket in a project and tells its members. Needs the right to write.',
      strict: null,
      parameters: {
        type: 'object',
        properties: {
          project: { type: 'string', title: 'Project' },
          title: { type: 'string', title: 'Summary' },
          due: { type: 'string', title: 'Due' },
          watchers: { type: 'array', title: 'Tells' },
        },
      },
    },
  },
];

const stage = await startStage({}, { tools: TOOLS });
const request = async <T>(method: string, to: string, body?: object): Promise<T> => {
  const answer = await stage.service.request(to, { method, ...(body && { body: JSON.stringify(body) }) });
  if (!answer.ok) throw new Error(`${method} ${to}: ${answer.status} ${await answer.text()}`);
  return (answer.status === 204 ? undefined : await answer.json()) as T;
};

try {
  const calls = await prepare();
  for (const { name: look, ...screen } of LOOKS) {
    const browser = await openChromium(screen);
    const page = await browser.signIn(stage.url);
    if (given.language) await page.evaluate((to) => localStorage.setItem('reborn.language', to), given.language);
    for (const [name, threadId] of calls) {
      await page.goto(`${stage.url}/threads/${threadId}`);
      const card = page.locator('section.gate');
      await card.waitFor();
      await card.screenshot({ path: path.join(FOLDER, `gate-card-${name}${look}.png`), animations: 'disabled' });
    }
    await browser.close();
  }
} finally {
  await stage.close();
}

/** A thread that waits for each call. */
async function prepare(): Promise<[name: string, threadId: string][]> {
  const schedule = { cron: '0 8 * * 1-5', time_zone: 'Europe/Oslo' };
  const { id } = await request<{ id: string }>('POST', '/api/missions', {
    name: 'Morning summary',
    instruction: 'Summarise my notes of yesterday.',
    schedule,
  });
  const asked: [string, string, object][] = [
    ['mission-create', 'mission_create', missionOf(schedule)],
    ['mission-run', 'mission_run', { id }],
    ['mission-pause', 'mission_pause', { id, paused: true }],
    ['mission-delete', 'mission_delete', { id }],
    [
      'memory-write',
      'memory_write',
      { path: 'people/ann', text: 'Ann prefers short mails.\nShe works until 15:00.\nHer boat is called Havørn.' },
    ],
    ['memory-delete', 'memory_delete', { path: 'projects/boat/paint' }],
    [
      'file-edit',
      'reborn_file_edit',
      { path: 'report/summary.md', old: 'twelve chairs', new: 'ten chairs', all: true },
    ],
    ['web-fetch', 'reborn_web_fetch', { url: 'https://news.example/boats?page=2', max_bytes: 20_000 }],
    ['weather', 'weather', { action: 'get_forecast', city: 'Bergen', country_code: 'NO' }],
    [
      'mcp',
      'tracker__create_ticket',
      {
        project: 'BOAT-7',
        title: 'Paint the hull before May',
        due: '2027-04-15T10:00:00+02:00',
        watchers: ['ann@example.com', 'bob@example.com'],
        notify: true,
      },
    ],
  ];
  for (const name of ['memory_write', 'memory_delete', 'reborn_file_edit', 'reborn_web_fetch'])
    await request('PUT', `/api/tool-policies/${name}`, { level: 'ask' });
  const opened: [string, string][] = [];
  for (const [name, toolName, args] of asked) {
    const message = `use ${toolName} ${JSON.stringify(args)}`;
    const { thread_id: threadId } = await request<{ thread_id: string }>('POST', '/api/chat', { message });
    await waitFor(`the gate of ${name}`, async () => {
      const { gates } = await request<{ gates: { thread_id: string }[] }>('GET', '/api/gates?limit=100');
      return gates.some((gate) => gate.thread_id === threadId);
    });
    opened.push([name, threadId]);
  }
  return opened;
}

function missionOf(schedule: object) {
  const days = ['2026-11-19', '2026-11-20', '2026-11-23', '2026-11-24', '2026-11-25'];
  return {
    name: 'Ferry times',
    instruction: 'Look up the ferries to Hovedøya, and say which ones are delayed.',
    schedule,
    schedule_words: 'at 08:00, Monday to Friday (Europe/Oslo)',
    next_times: days.map((day) => `${day}T07:00:00.000Z`),
  };
}
