import { afterAll, expect } from 'vitest';
import { journey } from '../../support/journey.ts';
import type { ScriptedModel } from '../../support/scripted-model.ts';
import { spawnService, textOf } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

const test = journey();

let replicas: Awaited<ReturnType<typeof spawnService>>[] = [];

test.beforeAll(async ({ env }) => {
  replicas = await Promise.all([spawnService(env), spawnService(env)]);
});

afterAll(async () => {
  await Promise.all(replicas.map((replica) => replica.kill('SIGTERM')));
});

test('two processes started at once share one database', async () => {
  const [one, other] = replicas;
  const response = await one?.ask('say shared');

  expect(await other?.get(response?.id ?? '')).toMatchObject({ status: 'completed', id: response?.id });
});

test('turns on one thread run in the order of acceptance, on any process', async ({ model }) => {
  const [one, other] = replicas;
  const first = await one?.ask('say begin');
  const thread = { previous_response_id: first?.id };
  const slow = one?.ask('count 8 every 50', thread);
  await waitForPrompt(model, 'count 8 every 50');
  const behind = [other?.ask('say b', thread), one?.ask('say c', thread)];
  await Promise.all([slow, ...behind]);

  const last = await other?.ask('recite', thread);
  const said = JSON.parse(last ? textOf(last) : '[]') as { role: string; text: string }[];
  const roles = said.slice(1).map(({ role }) => role);
  expect(roles).toEqual(['user', 'assistant', 'user', 'assistant', 'user', 'assistant', 'user', 'assistant', 'user']);
  expect(said[4]?.text).toBe('0 1 2 3 4 5 6 7 ');
});

test('SIGTERM stops a process cleanly while another continues', async () => {
  const leaving = replicas.pop();
  await leaving?.kill('SIGTERM');

  expect(leaving?.output()).not.toContain('"level":50');
  expect(textOf((await replicas[0]?.ask('say still here')) ?? NOTHING)).toBe('still here');
});

const NOTHING = { output: [] } as never;

async function waitForPrompt(model: ScriptedModel, text: string): Promise<void> {
  await waitFor(`the model to be asked "${text}"`, async () =>
    model.seen.some((prompt) => prompt.messages.at(-1)?.text === text),
  );
}
