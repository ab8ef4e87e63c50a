import { chmod, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { checkClock, checkDatabase, checkSchema } from '#cli/doctor/check-database.ts';
import { checkDisk } from '#cli/doctor/check-home.ts';
import type { Finding } from '#cli/doctor/finding.ts';
import { readConfig } from '#config/config.ts';
import { findServerUser } from '#database/embedded/runtime/server-user.ts';
import { attacks } from '../attacks/attack-components.ts';
import { freshHome } from '../support/fresh-home.ts';
import { runReborn } from '../support/run-reborn.ts';
import { startScriptedModel } from '../support/scripted-model.ts';
import { SETTINGS, spawnService, textOf } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';

let home: Awaited<ReturnType<typeof freshHome>>;
let env: Record<string, string>;

beforeAll(async () => {
  home = await freshHome();
  env = { ...home.env, GATEWAY_PORT: '0' };
  await runReborn(['user', 'list'], { env }); // makes and migrates the database
});
afterAll(() => home.remove());

async function examine(more: Record<string, string> = {}, ...args: string[]) {
  const { code, stdout } = await runReborn(['doctor', '--json', ...args], { env: { ...env, ...more } });
  const findings = JSON.parse(stdout) as Finding[];
  return { code, findings, problems: findings.filter(({ level }) => level === 'problem') };
}

test('a sound home has no problems, and the demo model is worth a warning', async () => {
  const { code, findings, problems } = await examine();
  expect({ code, problems }).toEqual({ code: 0, problems: [] });
  expect(findings.map(({ check }) => check)).toEqual(
    expect.arrayContaining([
      'versions',
      'settings',
      'permissions',
      'disk',
      'ports',
      'database',
      'schema',
      'clock',
      'keys',
      'tools',
      'tool jail',
      'model',
    ]),
  );
  expect(findings.find(({ check }) => check === 'model')).toMatchObject({
    level: 'warning',
    mend: 'Run `reborn init`.',
  });
});

test('the same as text, with how to fix it', async () => {
  const { code, stdout } = await runReborn(['doctor'], { env: { ...env, GATEWAY_PORT: String(await takenPort()) } });
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /PROBLEM +ports +Port \d+ on 127\.0\.0\.1 is in use: another program has it\.\n +Set GATEWAY_PORT to another port\./,
  );
});

test('a missing key and all other wrong settings are reported together', async () => {
  const { code, problems } = await examine({ LLM_PROVIDER: 'anthropic', LLM_MODEL: 'm', GATEWAY_HOST: 'a b' });
  expect(code).toBe(1);
  expect(problems.map(({ message }) => message)).toEqual([
    expect.stringContaining('GATEWAY_HOST'),
    expect.stringContaining('LLM_API_KEY must be set (or ANTHROPIC_API_KEY)'),
  ]);
});

test('a wrong key is found by a real call, unless it is to stay offline', async () => {
  const server = createServer((_, response) =>
    response.writeHead(401, { 'content-type': 'application/json' }).end('{}'),
  );
  const url = `http://127.0.0.1:${await listen(server)}/v1`;
  const wrong = { LLM_PROVIDER: 'openai-compatible', LLM_MODEL: 'm', LLM_BASE_URL: url, LLM_API_KEY: 'sk-wrong' };
  const { problems } = await examine(wrong);
  expect(problems).toMatchObject([{ check: 'model', mend: expect.stringContaining('The key is wrong') }]);
  expect(JSON.stringify(problems)).not.toContain('sk-wrong');
  expect((await examine(wrong, '--offline')).problems).toEqual([]);
});

test('a database that is down is reported with what to do', async () => {
  const { problems } = await examine({ DATABASE_URL: 'postgres://reborn:secret@127.0.0.1:1/reborn' });
  expect(problems).toMatchObject([{ check: 'database', message: expect.stringContaining('port 1') }]);
  expect(JSON.stringify(problems)).not.toContain('secret');
});

test('files that others may read, and a home that others may write to, are problems', async () => {
  const token = path.join(home.home, 'webui-token');
  await writeFile(token, 'x');
  await chmod(token, 0o644);
  await chmod(home.home, 0o733);
  onTestFinished(async () => {
    await chmod(home.home, 0o711);
    await chmod(token, 0o600);
  });
  const { problems } = await examine();
  expect(problems.map(({ mend }) => mend)).toEqual([`Run: chmod go-w '${home.home}'`, `Run: chmod 600 '${token}'`]);
});

test('an older schema and a newer one are distinguished', () => {
  expect(checkSchema({ pending: ['0109-x', '0110-y'], unknown: [], isTooOld: false })).toMatchObject([
    { level: 'warning', message: expect.stringContaining('2 migrations are pending') },
  ]);
  expect(checkSchema({ pending: [], unknown: ['0199-z'], isTooOld: false })).toMatchObject([
    { level: 'problem', message: expect.stringContaining('0199-z') },
  ]);
  expect(checkSchema({ pending: ['0100-x'], unknown: ['0009-w'], isTooOld: true })).toMatchObject([
    { level: 'problem', message: expect.stringContaining('Reborn 0.1') },
  ]);
});

test('a database that no start has migrated yet is an old schema', async () => {
  const empty = await freshHome({ empty: true });
  onTestFinished(() => empty.remove());
  const findings = await checkDatabase(readConfig(empty.env), async () => {
    throw new Error('nothing may be asked of a schema that is not there');
  });
  expect(findings.find(({ check }) => check === 'schema')).toMatchObject({ level: 'warning' });
});

test('a quarantined tool is reported by the doctor', async () => {
  const model = await startScriptedModel();
  onTestFinished(() => model.close());
  const scripted = { LLM_PROVIDER: 'openai-compatible', LLM_MODEL: 'scripted', LLM_BASE_URL: model.url };
  const service = await spawnService({ ...env, ...scripted });
  onTestFinished(() => service.kill('SIGTERM'));
  const wasm = Buffer.from(await attacks.endlessMemory()).toString('base64');
  const body = JSON.stringify({ name: 'hoarder', wasm, capabilities: '{}' });
  const installed = await service.request('/api/tools', { method: 'POST', body });
  expect({ status: installed.status, text: await installed.text() }).toMatchObject({ status: 201 });
  const calls = Array.from({ length: 3 }, () => 'use hoarder {}').join('\n');
  await waitFor(
    'the tool to be out of use', // a crash too few, when the guest notices first that it gets no more memory
    async () => textOf(await service.ask(calls)).includes('crashed too often and is out of use'),
    60_000,
  );
  const { code, problems } = await examine({ ...SETTINGS, ...scripted }, '--offline');
  expect(code).toBe(1);
  expect(problems).toMatchObject([
    {
      check: 'tools',
      message: expect.stringContaining('The tool hoarder crashed too often and is out of use until 2'),
      mend: expect.stringContaining('reborn tool install --force'),
    },
  ]);
});

test('root without another user gets advice', async () => {
  const findings = await checkDatabase(readConfig(env), undefined, async () => {
    await findServerUser('/dev/null');
    throw new Error('unreachable');
  });
  expect(findings).toMatchObject([{ level: 'problem', message: expect.stringContaining('Start as another user') }]);
});

test.each([
  [100 * 1024 ** 2, 'problem'],
  [500 * 1024 ** 2, 'warning'],
  [50 * 1024 ** 3, 'ok'],
])('%d free bytes are: %s', async (bytes, level) => {
  expect(await checkDisk(home.home, async () => ({ bavail: bytes / 4096, bsize: 4096 }))).toMatchObject([
    { check: 'disk', level },
  ]);
});

test.each([
  [0, 'ok'],
  [5_000, 'warning'],
  [-120_000, 'problem'],
])('a clock that is %d ms off is: %s', (skew, level) => {
  const now = new Date();
  expect(checkClock(new Date(now.getTime() + skew), now)).toMatchObject([{ check: 'clock', level }]);
});

async function takenPort(): Promise<number> {
  return listen(createTcpServer());
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}
