import { expect } from 'vitest';
import { inspectTurn } from '#channels/gateway/threads/inspect-turn.ts';
import { parseResponseId } from '#http/response-id.ts';
import { journey } from '../../support/journey.ts';
import { readStream } from '../../support/read-stream.ts';
import {
  type Answer,
  followScript,
  type ScriptedModel,
  type SeenPrompt,
  startScriptedModel,
} from '../../support/scripted-model.ts';
import { type Service, textOf } from '../../support/service.ts';
import { eventsOf, openSocket } from '../../support/socket.ts';
import { waitFor } from '../../support/wait-for.ts';

const turnInspection = inspectTurn.responses[200].json;

let decide: (prompt: SeenPrompt) => Answer;
const test = journey()
  .override('modelOptions', { decide: (prompt) => decide(prompt) })
  .override('settings', { LLM_MODEL: 'usual', LLM_TRIES: '3', LLM_RETRY_SECS: '1' })
  .extend('backup', { scope: 'file' }, async ({}, { onCleanup }) => {
    const backup = await startScriptedModel();
    onCleanup(() => backup.close());
    return backup;
  });

test.beforeAll(async ({ service, model, backup }) => {
  await storeRoutes(service, {
    careful: { ...compatible('usual', model), fallback: ['spare'] },
    spare: compatible('backup', backup),
  });
});

test.beforeEach(({ model, backup }) => {
  decide = followScript;
  model.seen.length = 0;
  backup.seen.length = 0;
});

const compatible = (name: string, { url }: ScriptedModel) => ({ provider: 'openai-compatible', name, base_url: url });

async function storeRoutes(service: Service, routes: object) {
  const body = JSON.stringify({ model_routes: routes });
  const response = await service.request('/api/settings', { method: 'PATCH', body });
  return { status: response.status, body: (await response.json()) as { error?: { param: string } } };
}

/** Answers the first calls with `failures`, and later calls by the script. */
function failFirst(...failures: Answer[]): void {
  decide = (prompt) => failures.shift() ?? followScript(prompt);
}

test.for<[string, Answer]>([
  ['has too many callers', { status: 429 }],
  ['fails', { status: 500 }],
  ['is overloaded', { status: 503 }],
  ['hangs up before it speaks', { pieces: [], cut: true }],
])('a model that %s is asked again', async ([_, failure], { service, model }) => {
  failFirst(failure, failure);
  const response = await service.ask('say recovered');

  expect(response).toMatchObject({ status: 'completed', error: null });
  expect(textOf(response)).toBe('recovered');
  expect(model.seen).toHaveLength(3);
});

test("after the last try the turn fails with the model's error", async ({ service, model }) => {
  const failed = await service.ask('break 503');

  expect(failed).toMatchObject({
    status: 'failed',
    error: { code: 'model_error', message: 'The model answered 503: scripted 503' },
  });
  expect(model.seen).toHaveLength(3);
});

test('programs get the English message alone, and a client of the gateway also a code and its values', async ({
  service,
}) => {
  const message = 'The model answered 401: scripted 401';
  const failed = await service.ask('break 401');
  expect(failed.error).toEqual({ code: 'model_error', message, type: 'server_error' });

  const body = JSON.stringify({ model: 'usual', messages: [{ role: 'user', content: 'break 401' }] });
  const completion = await service.request('/v1/chat/completions', { method: 'POST', body });
  expect(await completion.json()).toEqual({
    error: { code: 'model_error', message, type: 'invalid_request_error', param: null },
  });

  const provider = expect.stringMatching(/^127\.0\.0\.1:\d+$/);
  const details = { code: 'model.key_refused', values: { provider } };
  const inspected = await service.request(`/api/turns/${parseResponseId(failed.id)?.turnId}`);
  expect(await inspected.json()).toMatchObject({ failure: { code: 'model_error', message, details } });
});

test('a model that refuses the prompt is not asked again', async ({ service, model }) => {
  expect((await service.ask('break 400')).status).toBe('failed');
  expect(model.seen).toHaveLength(1);
});

test('waits grow and add up to the configured time', async ({ service, model }) => {
  await service.ask('break 500');
  const [first = 0, second = 0] = model.seen.slice(1).map(({ at }, index) => at - (model.seen[index]?.at ?? 0));

  expect(second).toBeGreaterThan(first);
  expect(first + second).toBeGreaterThan(750); // a second, less the jitter
});

test('Retry-After is respected unless it is too long', async ({ service, model }) => {
  failFirst({ status: 429, headers: { 'retry-after': '2' } });
  expect((await service.ask('say patient')).status).toBe('completed');
  const [first, second] = model.seen.map(({ at }) => at);
  expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(1990);

  model.seen.length = 0;
  decide = () => ({ status: 429, headers: { 'retry-after': '3600' } });
  expect((await service.ask('say impatient')).status).toBe('failed');
  expect(model.seen).toHaveLength(1);
});

test('streamed text is never repeated: a stream that breaks after its first text ends the turn', async ({
  service,
  model,
}) => {
  const events = await Array.fromAsync(readStream(await service.post({ input: 'cut', stream: true })));
  const deltas = events.flatMap((event) => event.delta ?? []);

  expect(deltas.join('')).toBe('half a ');
  expect(events.at(-1)).toMatchObject({
    type: 'response.failed',
    response: { error: { code: 'model_error' }, output: [{ status: 'incomplete' }] },
  });
  expect(model.seen).toHaveLength(1);
});

test('the client of a stream sees a retry only as a delay', async ({ service }) => {
  failFirst({ status: 503 });
  const events = await Array.fromAsync(readStream(await service.post({ input: 'say one two', stream: true })));

  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
  const deltas = events.flatMap((event) => event.delta ?? []);
  expect(deltas.join('')).toBe('one two');
  expect(events.at(-1)?.type).toBe('response.completed');
});

test("when a model's tries are used up, the route's fallback answers for the rest of the turn", async ({
  service,
  model,
  backup,
}) => {
  decide = () => ({ status: 500 });
  const response = await service.ask('use reborn_time {}', { model: 'careful' });

  expect(response.status).toBe('completed');
  expect(textOf(response)).toContain('result: ');
  expect([model.seen.length, backup.seen.length]).toEqual([3, 2]);
});

test('a model that refuses the key is not tried again, but its fallback is', async ({ service, model, backup }) => {
  decide = () => ({ status: 401 });

  expect(textOf(await service.ask('say spare', { model: 'careful' }))).toBe('spare');
  expect([model.seen.length, backup.seen.length]).toEqual([1, 1]);
});

test('watchers see every failure, and the turn inspection shows the waits', async ({ service }) => {
  failFirst({ status: 503 });
  const socket = await openSocket(service.url);
  try {
    socket.send({ type: 'send', message: 'say again' });
    const { turn_id: id } = await socket.first('accepted');
    await socket.ended(id);

    const [failed, ...others] = eventsOf(socket.seen, id).filter(({ event }) => event.type === 'model-failed');
    expect(others).toEqual([]);
    expect(failed?.event).toMatchObject({
      model: 'usual',
      next: 'usual',
      message: 'The model answered 503: scripted 503',
      details: { code: 'model.busy', values: { provider: expect.stringMatching(/^127\.0\.0\.1:\d+$/) } },
      tries: { next: 2, most: 3 },
      wait_ms: expect.any(Number),
    });
    const retry = await waitFor('the event log to be written', async () => {
      const inspected = await service.request(`/api/turns/${id}`);
      return turnInspection.parse(await inspected.json()).spans.find(({ kind }) => kind === 'retry');
    });
    expect(retry.label).toBe('usual: The model answered 503: scripted 503 Asked again.');
  } finally {
    socket.close();
  }
});

test('a cancelled turn stops waiting at once', async ({ service, model }) => {
  decide = () => ({ status: 429, headers: { 'retry-after': '30' } });
  const { id } = await service.ask('say never', { background: true });
  await waitFor('the model to be asked', async () => model.seen.length === 1);
  const begun = performance.now();
  await service.request(`/api/v1/responses/${id}/cancel`, { method: 'POST', body: '{}' });
  await waitFor('the turn to end', async () => (await service.get(id)).status === 'cancelled');

  expect(performance.now() - begun).toBeLessThan(10_000);
  expect(model.seen).toHaveLength(1);
});

test.for([
  [{ lonely: { provider: 'demo', name: 'demo', fallback: ['nobody'] } }, 'model_routes.lonely.fallback'],
  [{ loop: { provider: 'demo', name: 'demo', fallback: ['loop'] } }, 'model_routes.loop.fallback'],
] as const)('a fallback that cannot work is refused: %j', async ([routes, param], { service }) => {
  expect(await storeRoutes(service, routes)).toMatchObject({ status: 400, body: { error: { param } } });
});
