import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { buildTool } from '@reborn-agent/tool/build-tool';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BARE_ENV } from '../support/bare-env.ts';
import { freshHome } from '../support/fresh-home.ts';
import { runReborn } from '../support/run-reborn.ts';
import { startService, TOKEN, textOf, WEBHOOK_SECRET } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';

let home: Awaited<ReturnType<typeof freshHome>>;
let service: Awaited<ReturnType<typeof startService>>;

beforeAll(async () => {
  home = await freshHome();
  service = await startService({ ...home.env, HTTP_WEBHOOK_SECRET: WEBHOOK_SECRET });
});

afterAll(async () => {
  await service.close();
  await home.remove();
});

test('sdk-chat: the second question is answered from the first', async () => {
  const said = await run('examples/sdk-chat/chat.ts', ['My name is Ann.', 'What did I just say?']);

  expect(said).toContain('> My name is Ann.\nI am the demo model');
  expect(said).toContain('Before that you said: “My name is Ann.”');
});

test("external-tools: the program answers the agent's call, and the agent continues", async () => {
  const said = await run('examples/external-tools/round-trip.ts', ['call stock_of {"product": "tea"}']);

  expect(said).toContain('stock_of({"product": "tea"}) = {"product":"tea","pieces":12}\n');
  expect(said).toContain('The tool stock_of answered: {"product":"tea","pieces":12}');
});

test('issue-triage: an issue gets one judgement, even when asked twice', async () => {
  const event = JSON.stringify({
    issue: { number: 7, title: 'It crashes', body: 'After a minute.' },
    repository: { full_name: 'ann/thing' },
  });
  const [first, second] = [
    await run('examples/issue-triage/triage.ts', [], event),
    await run('examples/issue-triage/triage.ts', [], event),
  ];

  expect(first).toMatch(/^ann\/thing#7: .*It crashes/s);
  expect(second).toBe(first);
  expect(await home.query('select id from jobs')).toHaveLength(1);
});

test('custom-tool: tested, built, installed, and called by the agent', async () => {
  const tested = await runReborn(['tool', 'test', 'examples/custom-tool']);
  const { path } = await buildTool('examples/custom-tool');
  const installed = await runReborn(['tool', 'install', path, '--yes'], { env: service.remote });
  expect([tested.code, installed.code]).toEqual([0, 0]);

  const answer = await waitFor('the tool to be offered', async () => {
    const said = textOf(await service.ask('call count_words {"text": "one two three"}'));
    return said.includes('not offered') ? undefined : said;
  });
  expect(answer).toContain('{"words":3}');
});

async function run(example: string, words: string[], input = ''): Promise<string> {
  const child = spawn(process.execPath, [example, ...words], {
    env: {
      ...BARE_ENV,
      REBORN_URL: service.url,
      REBORN_TOKEN: TOKEN,
      WEBHOOK_URL: service.webhook.url,
      WEBHOOK_SECRET,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(input);
  const [said, complaint, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (code !== 0) throw new Error(complaint);
  return said;
}
