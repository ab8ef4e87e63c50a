import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshHome } from '../support/fresh-home.ts';
import { startScriptedModel } from '../support/scripted-model.ts';
import { startService, WEBHOOK_SECRET } from '../support/service.ts';

const page = await readFile('docs/webhooks.md', 'utf8');
const blocks = [...page.matchAll(/<!-- run -->\s+```\w+\n(.*?)```/gs)].map(([, code = '']) => code);

let model: Awaited<ReturnType<typeof startScriptedModel>>;
let home: Awaited<ReturnType<typeof freshHome>>;
let service: Awaited<ReturnType<typeof startService>>;

beforeAll(async () => {
  [model, home] = await Promise.all([startScriptedModel(), freshHome()]);
  service = await startService({
    ...home.env,
    HTTP_WEBHOOK_SECRET: WEBHOOK_SECRET,
    LLM_PROVIDER: 'openai-compatible',
    LLM_MODEL: 'scripted',
    LLM_BASE_URL: model.url,
  });
});

afterAll(async () => {
  await service.close();
  await Promise.all([model.close(), home.remove()]);
});

test('the page has blocks that are meant to be run', () => {
  expect(blocks.length).toBeGreaterThanOrEqual(3);
});

test.each(blocks)(
  'runs as it stands: %s',
  async (code) => {
    const child = spawn('bash', ['-euo', 'pipefail', '-c', code], {
      env: { PATH: process.env['PATH'], WEBHOOK_URL: service.webhook.url, WEBHOOK_SECRET },
    });
    const [stdout, stderr, [status]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);

    expect({ status, stderr }).toMatchObject({ status: 0 });
    expect(stdout).toMatch(/job_id|"status":"(queued|running|completed)"|ok/);
  },
  60_000,
);
