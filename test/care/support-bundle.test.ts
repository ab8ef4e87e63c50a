import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reduceLogLine } from '#cli/support/log-lines.ts';
import { addUser } from '../support/accounts.ts';
import { freshHome, type Home } from '../support/fresh-home.ts';
import { settingsFor } from '../support/journey.ts';
import { runReborn } from '../support/run-reborn.ts';
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts';
import { spawnService, TOKEN, WEBHOOK_SECRET } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';

/** What is in the service, its settings and its log, and must be nowhere in the bundle. */
const PRIVATE = {
  message: 'violet-message-7301',
  answer: 'violet-answer-7302',
  failed: 'violet-failure-7303',
  title: 'violet-title-7304',
  note: 'violet-note-7305',
  notePath: 'violet-path-7306',
  user: 'Violet Person 7307',
  email: 'violet.person@people.example.org',
  mission: 'violet-mission-7308',
  key: 'sk-violet-key-7309',
  secretsKey: 'ab'.repeat(32),
  publicHost: 'violet-host-7310.example.org',
  webhook: WEBHOOK_SECRET,
  operator: TOKEN,
  gateway: 'gateway-token-of-the-tests',
  tool: 'violet-tool-line-7311',
  error: 'violet-error-7312',
  otherProgram: 'violet-other-7313',
};

let home: Home;
let model: ScriptedModel;
beforeAll(async () => {
  [home, model] = [await freshHome(), await startScriptedModel()];
});
afterAll(async () => {
  await model.close();
  await home.remove();
});

test('a support bundle has facts for a bug report, and no content, secret, token or address', async () => {
  const env = {
    ...home.env,
    ...settingsFor(model),
    LLM_API_KEY: PRIVATE.key,
    SECRETS_KEY: PRIVATE.secretsKey,
    HTTP_WEBHOOK_SECRET: WEBHOOK_SECRET,
    PUBLIC_URL: `https://${PRIVATE.publicHost}`,
    GATEWAY_AUTH_TOKEN: PRIVATE.gateway,
    SERVICE_REBORN_WEBUI_TOKEN: TOKEN,
    LOG_LEVEL: 'debug',
    LOG_FORMAT: 'json',
  };
  const service = await spawnService(env);
  try {
    const turn = await fill(service);
    await waitFor('the log of the failure', async () => service.output().includes('turn failed'));
    const log = path.join(home.home, 'service.log');
    await writeFile(log, `${service.output()}${FOREIGN_LINES.join('\n')}\n`);
    const file = path.join(home.home, 'bundle.zip');
    const { token } = await addUser(service, 'Somebody');

    const made = await runReborn(['support-bundle', file, '--log', log], { env: { ...env, LOG_LEVEL: 'info' } });
    expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining('Look into it') });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const packed = await readFile(file);
    const files = Object.entries(unzipSync(packed)).map(([name, bytes]) => ({ name, text: strFromU8(bytes) }));

    const bytes = [packed.toString('latin1'), ...files.map(({ name, text }) => name + text)].join('\n');
    for (const [what, secret] of Object.entries({ ...PRIVATE, token, home: home.home }))
      for (const spelled of [secret, JSON.stringify(secret).slice(1, -1), Buffer.from(secret).toString('base64')])
        expect({ what, found: bytes.includes(spelled) }).toEqual({ what, found: false });
    expect(bytes).not.toMatch(/[\w.]+@[\w-]+\.\w+/);

    const read = (name: string) => files.find((each) => each.name === name)?.text ?? '';
    expect(JSON.parse(read('machine.json'))).toMatchObject({ node: process.versions.node });
    expect(JSON.parse(read('settings.json'))).toContainEqual({
      name: 'LOG_LEVEL',
      source: 'environment',
      value: 'info',
    });
    expect(JSON.parse(read('settings.json'))).toContainEqual({
      name: 'PUBLIC_URL',
      source: 'environment',
      value: 'set (left out)',
    });
    expect(JSON.parse(read('doctor.json'))).toContainEqual(expect.objectContaining({ check: 'schema', level: 'ok' }));
    expect(JSON.parse(read('status.json'))).toMatchObject({
      queue: { queued: 0 },
      database: { kind: expect.any(String) },
    });
    expect(JSON.parse(read('replicas.json'))).toMatchObject({ replicas: [{ running: 0 }] });
    expect(read('metrics.txt')).toMatch(/^reborn_turns_ended_total\{.*code="model_error".*\} 1$/m);
    const database = JSON.parse(read('database.json')) as Facts;
    expect(database.tables).toContainEqual(expect.objectContaining({ table: 'turns', bytes: expect.any(Number) }));
    expect(database.statements.statements.length).toBeGreaterThan(3);
    for (const { plan } of database.statements.statements) expect(plan.join('\n')).toMatch(/Scan|Result/);
    const lines = read('log.jsonl')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'turn failed', code: 'model_error', turnId: turn }));
    expect(lines).toContainEqual(expect.objectContaining({ msg: '(left out)', level: 30 }));

    expect(await runReborn(['support-bundle', file], { env })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--force'),
    });
  } finally {
    await service.kill('SIGTERM');
  }
});

type Facts = {
  readonly tables: readonly object[];
  readonly statements: { readonly statements: readonly { readonly plan: readonly string[] }[] };
};

test('the slowest statements come with plans for any values, and without the values of anyone', async () => {
  await home.query(
    'create table pg_stat_statements (dbid oid, query text, calls bigint, mean_exec_time float8, total_exec_time float8)',
  );
  const statements = [
    `select id from turns where thread_id = $1 and channel = '${PRIVATE.message}'`,
    `set local app.user_id = '${PRIVATE.user}'`,
    'select 1; drop table pg_stat_statements',
  ];
  for (const text of statements)
    await home.query(
      'insert into pg_stat_statements select oid, $1, 3, 2, 6 from pg_database where datname = current_database()',
      [text],
    );
  const file = path.join(home.home, 'slowest.zip');
  expect(await runReborn(['support-bundle', file], { env: home.env })).toMatchObject({ code: 0 });

  const text = strFromU8(unzipSync(await readFile(file))['database.json'] ?? new Uint8Array());
  expect(JSON.parse(text).statements).toEqual({
    source: 'pg_stat_statements',
    statements: [
      {
        text: "select id from turns where thread_id = $1 and channel = '?'",
        calls: 3,
        mean_ms: 2,
        total_ms: 6,
        plan: expect.arrayContaining([expect.stringMatching(/Index Scan/)]),
      },
      expect.objectContaining({ text: 'select 1; drop table pg_stat_statements', plan: null }),
    ],
  });
  expect(text).not.toContain('violet');
  expect(await home.query('select from pg_stat_statements')).toHaveLength(3);
});

test('a line of the log keeps its codes and figures, and the places of its error', () => {
  const err = {
    name: 'TypeError',
    code: 'ECONNRESET',
    message: PRIVATE.error,
    stack: `TypeError: ${PRIVATE.error}\n    at ${PRIVATE.error}\n    at call (file:///home/violet/src/agent/call-tool.ts:55:7)`,
  };
  const line = {
    level: 40,
    time: 0,
    msg: 'tool failed',
    tool: 'fetch',
    code: 'EFAIL',
    ms: 3,
    err,
    said: PRIVATE.message,
  };
  expect(reduceLogLine(JSON.stringify(line))).toEqual({
    level: 40,
    time: '1970-01-01T00:00:00.000Z',
    msg: 'tool failed',
    tool: 'fetch',
    code: 'EFAIL',
    ms: 3,
    err: { name: 'TypeError', code: 'ECONNRESET', at: ['call-tool.ts:55'] },
  });
  expect(reduceLogLine('not JSON')).toBeUndefined();
});

const FOREIGN_LINES = [
  JSON.stringify({ level: 30, time: 1, tool: 'weather', msg: PRIVATE.tool }),
  JSON.stringify({
    level: 50,
    time: 2,
    msg: 'a request failed',
    err: { message: PRIVATE.error, stack: PRIVATE.error },
  }),
  JSON.stringify({ level: 30, time: 3, msg: 'turn settled', status: PRIVATE.email, code: PRIVATE.user }),
  PRIVATE.otherProgram,
];

/** Writes each of the private texts somewhere, and makes a turn fail; returns its id. */
async function fill(service: Awaited<ReturnType<typeof spawnService>>): Promise<string> {
  const send = async (method: string, route: string, body: object) => {
    const response = await service.request(route, { method, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${route}: ${response.status} ${await response.text()}`);
    return (await response.json()) as { id: string };
  };
  await service.ask(`say ${PRIVATE.answer}`, { instructions: PRIVATE.message });
  await service.ask(PRIVATE.message);
  await service.ask(`break 400 ${PRIVATE.failed}`);
  await send('POST', '/api/users', { name: PRIVATE.user, email: PRIVATE.email, role: 'member' });
  await send('PUT', `/api/memory/${PRIVATE.notePath}`, { text: PRIVATE.note });
  await send('POST', '/api/missions', {
    name: PRIVATE.mission,
    instruction: PRIVATE.mission,
    schedule: { every_minutes: 1440 },
  });
  const threads = (await (await service.request('/api/threads')).json()) as { threads: { id: string }[] };
  await send('PATCH', `/api/threads/${threads.threads[0]?.id}`, { title: PRIVATE.title });
  const [failed] = await home.query<{ id: string }>(`select id from turns where status = 'failed'`);
  return failed?.id ?? '';
}
