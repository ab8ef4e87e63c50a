import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshHome } from '../../support/fresh-home.ts';
import { runReborn } from '../../support/run-reborn.ts';
import { startScriptedModel } from '../../support/scripted-model.ts';
import { SETTINGS, spawnService, startService, textOf } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

type Service = Awaited<ReturnType<typeof spawnService>>;

let home: Awaited<ReturnType<typeof freshHome>>;
let model: Awaited<ReturnType<typeof startScriptedModel>>;
let configured: Record<string, string>;
let service: Service;

beforeAll(async () => {
  [home, model] = await Promise.all([freshHome(), startScriptedModel()]);
  const scripted = { LLM_PROVIDER: 'openai-compatible', LLM_MODEL: 'scripted', LLM_BASE_URL: model.url };
  configured = { ...home.env, ...scripted };
  service = await spawnService(configured);
  await waitFor('the service to be announced', () => announced().catch(() => ''));
});
afterAll(async () => {
  await service.kill('SIGTERM');
  await model.close();
  await home.remove();
});

const announced = () => readFile(path.join(home.home, 'serve.json'), 'utf8');
const describeScripted = () => `scripted by openai-compatible at ${model.url}`;

type Replicas = { replicas: { model: string | null }[] };
const modelsOf = async ({ request }: Service) =>
  ((await (await request('/api/replicas')).json()) as Replicas).replicas.map((replica) => replica.model);

test('a command without the token of the running service fails with an explanation and leaves the service alone', async () => {
  const before = await announced();
  for (const args of [['ask', 'say hello'], ['status']]) {
    const { code, stdout, stderr } = await runReborn(args, { env: home.env });

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`A service is running at ${service.url}`);
    expect(stderr).toContain('SERVICE_REBORN_WEBUI_TOKEN');
  }
  expect(await announced()).toBe(before);
  expect(await modelsOf(service)).toEqual([describeScripted()]);
});

test('a command that finds no service in its home runs no turns while a replica is running', async () => {
  const hidden = await announced();
  const file = path.join(home.home, 'serve.json');
  await rm(file);
  await mkdir(file); // so that it can't be written again
  for (const settings of [{}, configured]) {
    const { code, stdout, stderr } = await runReborn(['ask', 'say hello'], { env: { ...home.env, ...settings } });

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`A service (${describeScripted()}) is running on this database`);
  }
  await rm(file, { recursive: true });
  await waitFor('the service to announce itself again', async () => (await announced().catch(() => '')) === hidden);
});

test('a service with the demo model does not join a service with a configured model', async () => {
  const { code, stderr } = await runReborn(['serve'], { env: { ...SETTINGS, ...home.env } });

  expect(code).toBe(1);
  expect(stderr).toContain('the demo model would answer its turns');
  expect(textOf(await service.ask('say still here'))).toBe('still here');
});

test('a service with other model settings starts, and its log and the replica list show the difference', async () => {
  const before = await announced();
  const other = await spawnService({ ...configured, LLM_MODEL: 'another' });
  try {
    expect(other.output()).toContain(`other replicas on this database have ${describeScripted()}`);
    expect(await modelsOf(service)).toEqual([describeScripted(), describeScripted().replace('scripted', 'another')]);
    expect(await announced()).toBe(before);
  } finally {
    await other.kill('SIGTERM');
  }
  expect(await announced()).toBe(before);
});

test('commands find the second service of a home after the first has stopped', async () => {
  const second = await spawnService(configured);
  const first = service;
  service = second;
  await first.kill('SIGTERM');

  await waitFor('the second to be announced', async () => (await announced().catch(() => '')).includes(second.url));
  expect(await runReborn(['ask', 'say found'], { env: { ...SETTINGS, ...configured } })).toMatchObject({
    code: 0,
    stdout: 'found\n',
  });
});

test('the demo model can start after a service with another model has stopped', async () => {
  const elsewhere = await freshHome();
  try {
    const scripted = await startService({ ...configured, ...elsewhere.env });
    await scripted.close();
    const demo = await startService(elsewhere.env);
    expect(textOf(await demo.ask('hello'))).toMatch(/demo/i);
    await demo.close();
  } finally {
    await elsewhere.remove();
  }
});
