import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BARE_ENV } from '../../support/bare-env.ts';
import { freshHome } from '../../support/fresh-home.ts';
import { spawnService, startService, TOKEN, textOf } from '../../support/service.ts';

let home: Awaited<ReturnType<typeof freshHome>>;

beforeAll(async () => {
  home = await freshHome({ empty: true });
});

afterAll(() => home.remove());

test('without settings the demo model answers, and a second start finds the same data', async () => {
  const first = await startService(home.env);
  const response = await first.ask('hello');
  await first.close();
  expect(response.status).toBe('completed');
  expect(textOf(response)).toMatch(/demo/i);

  const second = await startService(home.env);
  expect(await second.get(response.id)).toEqual({ ...response, model: 'reborn' });
  await second.close();
});

test('an invalid configuration stops the start and lists every problem', async () => {
  const child = spawn(path.resolve('bin/reborn'), ['serve'], {
    env: { ...BARE_ENV, GATEWAY_PORT: '99999', HTTP_ENABLED: 'maybe', LLM_PROVIDER: 'openai' },
  });
  const [output, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'close')]);

  expect(exitCode).toBe(78);
  for (const option of ['GATEWAY_PORT', 'HTTP_ENABLED', 'LLM_MODEL', 'LLM_API_KEY']) expect(output).toContain(option);
});

test('`reborn serve` without a gateway or a webhook channel is refused and says what to enable', async () => {
  const child = spawn(path.resolve('bin/reborn'), ['serve'], {
    env: { ...BARE_ENV, REBORN_HOME: home.home, GATEWAY_ENABLED: 'false' },
  });
  const [output, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'close')]);

  expect(exitCode).toBe(78);
  expect(output).toMatch(/GATEWAY_ENABLED is false .* HTTP_WEBHOOK_SECRET/);
});

test('the error for a port in use names the port and its option', async () => {
  const first = await startService(home.env);
  const port = new URL(first.url).port;

  await expect(startService({ ...home.env, GATEWAY_PORT: port })).rejects.toThrow(
    /Port \d+ .* is in use.*GATEWAY_PORT/,
  );
  await first.close();
});

test('every operator token opens the API, and no other token does', async () => {
  const service = await spawnService({ ...home.env, SERVICE_REBORN_WEBUI_TOKEN: '', GATEWAY_AUTH_TOKEN: '' });
  const status = async (authorization: string) =>
    (await service.request('/api/v1/responses/nonsense', { headers: { authorization } })).status;
  const file = `${home.home}/webui-token`;
  const provisioned = (await readFile(file, 'utf8')).trim();
  const generated = /the token of this start: ([\w-]+)/.exec(service.output())?.[1];

  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await status(`Bearer ${provisioned}`)).toBe(404);
  expect(await status(`Bearer ${generated}`)).toBe(404);
  for (const wrong of [`Bearer ${TOKEN}`, 'Bearer', '', provisioned, `Basic ${provisioned}`])
    expect(await status(wrong)).toBe(401);
  await service.kill('SIGTERM');

  const replaced = await spawnService(home.env);
  const refused = await replaced.request('/api/v1/responses/x', {
    headers: { authorization: `Bearer ${provisioned}` },
  });
  expect([refused.status, await refused.text()]).toEqual([401, 'Invalid or missing auth token']);
  await replaced.kill('SIGTERM');
});
