import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { openChromium } from '../test/browser/open-chromium.ts';
import { createReadingTools, decideByWords } from '../test/browser/reading-tools.ts';
import { seedCited } from '../test/browser/seed-cited.ts';
import { seedExamples } from '../test/browser/seed-examples.ts';
import { seedMissions } from '../test/browser/seed-missions.ts';
import { startStage } from '../test/browser/stage.ts';
import { turnIdOf } from '../test/faults/cluster.ts';
import { createHeldTool } from '../test/support/held-tool.ts';
import { startModernServer } from '../test/support/mcp-modern-server.ts';
import { readStream } from '../test/support/read-stream.ts';
import type { Answer, SeenPrompt } from '../test/support/scripted-model.ts';
import { spawnService, WEBHOOK_SECRET } from '../test/support/service.ts';
import { waitFor } from '../test/support/wait-for.ts';
import { LARGEST_PICTURE, takeScreenshot } from './take-screenshot.ts';

/**
 * `npm run screenshots`: every page from a seeded database, in light, dark and phone size, into docs/pictures. With names of
 * pages, such as `npm run screenshots -- missions`, only those. `--all FOLDER` takes them in both themes and three widths
 * into another folder, to look at.
 */
const { values: given, positionals: wanted } = parseArgs({
  options: { all: { type: 'string' } },
  allowPositionals: true,
});
const FOLDER = path.resolve(given.all ?? 'docs/pictures');
const MOST_BYTES = given.all ? Number.POSITIVE_INFINITY : LARGEST_PICTURE;

const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name);

type Look = { name: string; theme: 'light' | 'dark'; width: number; height: number; touch?: boolean };

const LOOKS: readonly Look[] = given.all
  ? [1440, 1024, 390].flatMap((width) =>
      (['light', 'dark'] as const).map((theme) => ({
        name: `${width}-${theme}`,
        theme,
        width,
        height: width === 390 ? 844 : 900,
        touch: width === 390,
      })),
    )
  : [
      { name: 'light', theme: 'light', width: 1280, height: 800 },
      { name: 'dark', theme: 'dark', width: 1280, height: 800 },
      { name: 'phone', theme: 'light', width: 390, height: 844, touch: true },
    ];

const JOBS = [
  ['github-issue-1182', 'say triaged'],
  ['stripe-charge-77', 'say noted'],
  ['nightly-report', 'break 500'],
] as const;

/** Of a project. */
const FILES = [
  ['costs.csv', 'what,kroner\nvan,9000\ncarriers,5000\n'],
  ['inventory.md', '# Inventory\n\n- a piano\n- 40 boxes of books\n'],
] as const;

const MAIL = 'use send_mail {"to": "ann@example.com", "subject": "The release notes", "text": "They are ready."}';

const OFFERS = 'Compare the three offers for the kitchen, one subagent for each.';
const TASKS = {
  read: 'Read the offer of Nordlys: price, delivery and guarantee.',
  ask: 'Ask Fjell whether their price includes the oven.',
  check: 'Check the offer of Vik against our floor plan.',
} as const;
const CORRECTED = 'Only this year and the last, please.';
const call = (name: string, input: object) => ({ name, arguments: JSON.stringify(input) });

/** What the model does in the scenes. */
function decide(prompt: SeenPrompt): Answer {
  switch (prompt.messages.findLast(({ role }) => role === 'user')?.text) {
    case OFFERS:
      return { calls: Object.values(TASKS).map((task) => call('reborn_agent_run', { task })) };
    case TASKS.read:
      return { pieces: ['84,000 kroner, delivered in March, ten years of guarantee.'] };
    case TASKS.ask:
      return { calls: [call('send_mail', { to: 'offers@fjell.example', subject: 'Is the oven included?' })] };
    case TASKS.check:
      return { calls: [call('read_ledger', { plan: 'kitchen' })] };
    case CORRECTED:
      return { pieces: ['The costs rose by **4 %**, from 11,200 to 11,650 kroner.'] };
    default:
      return decideByWords(prompt);
  }
}

const travel = await startModernServer();
const ledger = createHeldTool('read_ledger');
const stage = await startStage(
  { HTTP_WEBHOOK_SECRET: WEBHOOK_SECRET },
  { tools: [...createReadingTools().tools, ledger.tool] },
  decide,
);
try {
  await mkdir(FOLDER, { recursive: true });
  const shots = (await setScene()).filter((shot) => isWanted(shot.name));
  for (const { name, ...look } of LOOKS) {
    const browser = await openChromium(look);
    const page = await browser.signIn(stage.url);
    for (const shot of shots) {
      await page.goto(stage.url + shot.path);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await shot.act?.(page);
      await take(page, `${shot.name}-${name}`);
    }
    await browser.context.clearCookies();
    await page.goto(stage.url);
    await page.getByLabel('Token').waitFor();
    if (isWanted('sign-in')) await take(page, `sign-in-${name}`);
    await browser.close();
  }
} finally {
  ledger.release();
  await stage.close();
  travel.close();
}

async function createAssistants(): Promise<void> {
  const research = {
    name: 'research',
    description: 'Finds things out, and says where.',
    instructions: 'Answer in at most five sentences. Name the source of each fact, and say what you could not find.',
    tools: ['reborn_web_search', 'reborn_web_fetch', 'reborn_time'],
    memory: 'read',
  };
  const house = { name: 'house', for: 'everyone', description: 'Knows how we do things here.' };
  for (const body of [research, house]) {
    const made = await stage.service.request('/api/assistants', { method: 'POST', body: JSON.stringify(body) });
    if (made.status !== 201) throw new Error(`The assistant was not made: ${made.status}.`);
  }
}

/** A project with instructions, files and a thread. */
async function createProject(): Promise<string> {
  const { id } = await request<{ id: string }>('POST', '/api/projects', {
    name: 'Move to Oslo',
    instructions: 'Answer briefly, with prices in kroner.\nWe move on 1 March, with two children and a cat.',
  });
  for (const [name, words] of FILES) {
    const put = { method: 'PUT', body: words, headers: { 'content-type': 'application/octet-stream' } };
    const answer = await stage.service.request(`/api/projects/${id}/files/${name}?own=true`, put);
    if (!answer.ok) throw new Error(`${name}: ${answer.status} ${await answer.text()}`);
  }
  const { thread_id: threadId } = await request<{ thread_id: string }>('POST', '/api/chat', {
    message: 'say About 14,000 kroner for a van and two people.',
    project_id: id,
  });
  await reword(threadId, 'What the carrier costs', 'What does a carrier cost?');
  return id;
}

async function askAssistant(): Promise<string> {
  const message = 'How long is the Oslo fjord?';
  const answer = await request<{ thread_id: string }>('POST', '/api/chat', { message, assistant: 'research' });
  await request('PATCH', `/api/threads/${answer.thread_id}`, { title: 'The Oslo fjord' });
  return answer.thread_id;
}

/** A task that is divided: one subagent is done, one waits for a person, and one works. */
async function divide(): Promise<string> {
  const { thread_id: threadId } = await request<{ thread_id: string }>('POST', '/api/chat/send', { message: OFFERS });
  await request('PATCH', `/api/threads/${threadId}`, { title: 'Offers for the kitchen' });
  const states = async () => {
    const { nodes } = await request<{ nodes: { state: string }[] }>('GET', `/api/threads/${threadId}/tree`);
    return nodes
      .map(({ state }) => state)
      .toSorted()
      .join();
  };
  await waitFor('the subagents', async () => (await states()) === 'active,ended,waiting');
  return threadId;
}

async function tryAssistant(page: Page): Promise<void> {
  await page.getByRole('button', { name: /research/ }).click();
  await page.getByLabel('Message to research').fill('How long is the Oslo fjord?');
  await page.getByRole('button', { name: 'Try', exact: true }).click();
  await page.getByRole('listitem').filter({ hasText: 'Store norske leksikon' }).waitFor();
}

type Shot = { readonly name: string; readonly path: string; readonly act?: (page: Page) => Promise<unknown> };

async function setScene(): Promise<Shot[]> {
  const { tour, failed, drawn, turn } = await seedExamples(stage);
  await seedMissions(stage);
  await createAssistants();
  const gated = await openGate('Mail to Ann', 'Tell Ann that the release notes are ready.', MAIL);
  const several = await openSeveral();
  const asked = await openQuestion();
  const cited = `/threads/${await seedCited(stage)}`;
  const taken = await takeOver();
  const project = await createProject();
  const researched = await askAssistant();
  const steered = await steer('Costs of two years');
  ledger.release();
  await waitFor('the correction to be read', async () => (await newestTurn(steered)) === 'completed');
  const steering = await steer('Costs of ten years');
  const divided = await divide();
  for (const [conversation, message] of JOBS)
    await stage.service.webhook.submit({ message, conversation_id: conversation });
  return [
    { name: 'new', path: '/' },
    { name: 'chat', path: `/threads/${tour}`, act: scrolledUp },
    { name: 'rendering', path: `/threads/${drawn}`, act: withDiagram },
    { name: 'preview', path: `/threads/${drawn}`, act: withPreview },
    {
      name: 'gate',
      path: `/threads/${gated}`,
      act: (page) => page.getByRole('button', { name: 'Approve once' }).waitFor(),
    },
    {
      name: 'gate-calls',
      path: `/threads/${several}`,
      act: (page) => page.getByRole('button', { name: 'Approve both' }).waitFor(),
    },
    { name: 'question', path: `/threads/${asked}`, act: (page) => page.getByLabel('seats').waitFor() },
    {
      name: 'steering',
      path: `/threads/${steering}`,
      act: (page) => page.getByText('Read after this step').waitFor(),
    },
    { name: 'steered', path: `/threads/${steered}`, act: (page) => page.getByText('The costs rose').waitFor() },
    {
      name: 'subagents',
      path: `/threads/${divided}`,
      act: (page) => page.getByRole('button', { name: 'Approve once' }).waitFor(),
    },
    { name: 'project', path: `/projects/${project}/instructions` },
    { name: 'project-files', path: `/projects/${project}/files` },
    { name: 'failure', path: `/threads/${failed}`, act: (page) => page.getByRole('alert').waitFor() },
    { name: 'cited', path: cited, act: (page) => page.getByRole('list', { name: 'Sources' }).waitFor() },
    { name: 'cited-card', path: cited, act: (page) => showCard(page, 0, 'These words are on the page.') },
    { name: 'cited-missing', path: cited, act: (page) => showCard(page, 3, 'These words are not on the page.') },
    { name: 'cited-page', path: cited, act: openCitedPage },
    { name: 'inspector', path: `/turns/${turn}`, act: withWaterfall },
    { name: 'takeover', path: `/turns/${taken}`, act: withWaterfall },
    { name: 'palette', path: '/', act: openPalette },
    { name: 'jobs', path: '/settings/jobs' },
    { name: 'results', path: '/missions' },
    { name: 'missions', path: '/missions/all' },
    { name: 'mission', path: '/missions/all', act: openMission },
    { name: 'assistant', path: '/assistants', act: tryAssistant },
    {
      name: 'assistant-thread',
      path: `/threads/${researched}`,
      act: (page) => page.getByText('Store norske leksikon').waitFor(),
    },
    { name: 'memory', path: '/memory' },
    { name: 'tools', path: '/connectors/tools' },
    { name: 'tool', path: '/connectors/tools', act: openTool },
    { name: 'mcp', path: '/connectors' },
    { name: 'skills', path: '/connectors/skills' },
    { name: 'skill', path: '/connectors/skills', act: openSkill },
    { name: 'notifications', path: '/settings/notifications' },
    { name: 'settings', path: '/settings/general' },
    { name: 'settings-access', path: '/settings/access' },
    { name: 'settings-data', path: '/settings/data' },
    { name: 'users', path: '/settings/users' },
    { name: 'models', path: '/settings/models' },
    { name: 'channels', path: '/settings/channels' },
    { name: 'usage', path: '/settings/usage', act: (page) => page.locator('.recharts-surface').last().waitFor() },
    { name: 'audit', path: '/settings/audit' },
    { name: 'health', path: '/settings/health' },
  ];
}

/** A thread that waits for an approval. */
async function openGate(title: string, said: string, script: string): Promise<string> {
  const { thread_id: threadId } = await request<{ thread_id: string }>('POST', '/api/chat', { message: script });
  await reword(threadId, title, said);
  return threadId;
}

/** A thread whose agent works, and a message that corrects it. */
async function steer(title: string): Promise<string> {
  const send = (message: string, thread_id?: string) =>
    request<{ thread_id: string }>('POST', '/api/chat/send', { message, thread_id, when_busy: 'steer' });
  const { thread_id: threadId } = await send('use read_ledger {"year": 2016}');
  await ledger.begun();
  await reword(threadId, title, 'Compare the costs of the last ten years.');
  await send(CORRECTED, threadId);
  return threadId;
}

async function newestTurn(threadId: string): Promise<string | undefined> {
  const statement = 'select status from turns where thread_id = $1 order by seq desc limit 1';
  return (await stage.home.query<{ status: string }>(statement, [threadId]))[0]?.status;
}

/** The first message of a thread is a script, which is replaced by what a person would have said. */
async function reword(threadId: string, title: string, said: string): Promise<void> {
  await request('PATCH', `/api/threads/${threadId}`, { title });
  await stage.home.query(
    `update items set body = jsonb_set(body::jsonb, '{content,0,text}', to_jsonb($2::text))::json
     where thread_id = $1 and position = 0`,
    [threadId, said],
  );
}

/** Two calls after a page by others: a link of the page, and an address that the agent has composed. */
async function openSeveral(): Promise<string> {
  const say = (message: string, thread_id?: string) =>
    request<{ thread_id: string }>('POST', '/api/chat', { message, thread_id });
  const { thread_id: threadId } = await say('What is new about boats?');
  await say('Please look at the first one, and order the list for me.', threadId);
  await request('PATCH', `/api/threads/${threadId}`, { title: 'New boats' });
  return threadId;
}

/** A thread where an MCP server asks for details. */
async function openQuestion(): Promise<string> {
  await request('POST', '/api/mcp', { name: 'travel', url: travel.url, for: 'everyone', private_network: true });
  const threadId = await openGate('Trip to Oslo', 'Book a trip to Oslo.', 'use travel__book {"to": "Oslo"}');
  const find = async (kind: string) => {
    const { gates } = await request<{ gates: { id: string; thread_id: string; kind: string }[] }>('GET', '/api/gates');
    return gates.find((gate) => gate.thread_id === threadId && gate.kind === kind);
  };
  const approval = await waitFor('the approval', () => find('approval'));
  await request('POST', `/api/gates/${approval.id}`, { answer: 'approve' });
  await waitFor('the question', () => find('input'));
  return threadId;
}

/** A turn that another replica began, and that this one continued when the other had been killed. */
async function takeOver(): Promise<string> {
  const other = await spawnService(stage.settings);
  const { id } = await other.ask('count 60 every 50', { background: true, stream: false });
  for await (const { type } of readStream(await stage.service.request(`/v1/responses/${id}?stream=true`)))
    if (type === 'response.output_text.delta') break;
  await other.kill();
  await waitFor(
    'the takeover',
    async () => (await request<{ status: string }>('GET', `/v1/responses/${id}`)).status === 'completed',
  );
  return turnIdOf(id);
}

async function request<T>(method: string, route: string, body?: object): Promise<T> {
  const answer = await stage.service.request(route, { method, ...(body && { body: JSON.stringify(body) }) });
  if (!answer.ok) throw new Error(`${method} ${route}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

async function scrolledUp(page: Page): Promise<void> {
  await page.getByText('Which of it works with a pram?').waitFor();
  await page.getByRole('log').evaluate((element) => element.scrollTo({ top: 0 }));
  await page.locator('[data-streamdown="code-block"] span[style]').first().waitFor({ state: 'attached' });
}

/** The card about the citation in this place. */
async function showCard(page: Page, place: number, words: string): Promise<void> {
  await page.locator('.prose [aria-label]').nth(place).focus();
  await page.getByText(words).waitFor();
}

async function openCitedPage(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Source 1, lease.pdf, page 2' }).click();
  await page.getByRole('complementary', { name: 'Files' }).locator('mark').waitFor();
  await page.mouse.move(0, 0);
  await page.locator('blockquote').waitFor({ state: 'detached' });
}

async function withWaterfall(page: Page): Promise<void> {
  await page.getByRole('region', { name: 'Waterfall' }).waitFor();
}

async function withDiagram(page: Page): Promise<void> {
  await page.getByRole('img', { name: 'Diagram' }).waitFor();
  await page.locator('.katex').first().waitFor();
  await page.getByRole('log').evaluate((element) => element.scrollTo({ top: 0 }));
}

async function withPreview(page: Page): Promise<void> {
  await page.getByRole('img', { name: 'Diagram' }).waitFor();
  await page.getByRole('button', { name: 'Preview' }).click();
  await page.frameLocator('iframe[title="Preview"]').getByText('40.8 m').waitFor();
  await page.getByRole('log').evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
}

async function openSkill(page: Page): Promise<void> {
  await page.getByRole('button', { name: /release-notes/ }).click();
  await page.getByRole('dialog').getByRole('heading', { name: 'Order' }).waitFor();
}

async function openMission(page: Page): Promise<void> {
  await page.getByRole('button', { name: /Morning summary/ }).click();
  await page.getByRole('dialog').getByText('nothing to report').waitFor();
}

async function openTool(page: Page): Promise<void> {
  await page.getByRole('button', { name: /reborn_web_fetch/ }).click();
  await page.getByRole('dialog').getByText('What it may reach').waitFor();
}

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('option').nth(8).waitFor();
}

function take(page: Page, name: string): Promise<void> {
  return takeScreenshot(page, path.join(FOLDER, `${name}.png`), MOST_BYTES);
}
