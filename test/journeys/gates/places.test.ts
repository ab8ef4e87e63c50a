import { expect } from 'vitest';
import { addUser, type TestUser } from '../../support/accounts.ts';
import { journey } from '../../support/journey.ts';
import { type Service, textOf, type WireResponse } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

const PLACES = 10;
const test = journey().override('parts', { turns: PLACES }).override('settings', { RESPONSES_TIMEOUT_SECS: '3' });

const tools = [{ type: 'function', name: 'lookup', parameters: { type: 'object' } }];

test('a turn that waits for a place is cancelled at once, and its thread passes to the next message', async ({
  service,
}) => {
  const [modest, release] = [await addUser(service, 'modest'), await takeAllPlaces(service)];
  const first = await ask(service, modest, { input: 'say first', background: true });
  const second = await ask(service, modest, { input: 'say second', background: true, previous_response_id: first.id });
  expect([first.status, second.status]).toEqual(['queued', 'queued']);

  expect(await cancel(service, modest, first)).toMatchObject({ status: 'cancelled' });
  await release();
  expect(textOf(await ended(service, modest, second))).toBe('second');
});

test('a request whose turn waits for a place until its timeout is answered as failed', async ({ service }) => {
  const [modest, release] = [await addUser(service, 'modest'), await takeAllPlaces(service)];

  const answer = await ask(service, modest, { input: 'say hello' });
  expect(answer).toMatchObject({ status: 'failed', error: { code: 'turn_timeout' } });
  await release();
});

test('a waiting turn that answers a gate is closed without a place when it is cancelled', async ({
  service,
  model,
}) => {
  const modest = await addUser(service, 'modest');
  const asked = await ask(service, modest, { input: 'use lookup {}', tools });
  const release = await takeAllPlaces(service);
  const output = [{ type: 'function_call_output', call_id: asked.output[0]?.call_id, output: 'sunny' }];
  const waiting = await ask(service, modest, { input: output, previous_response_id: asked.id, background: true });
  expect(waiting.status).toBe('queued');

  expect(await cancel(service, modest, waiting)).toMatchObject({ status: 'cancelled' });
  await release();
  const next = await ask(service, modest, { input: 'say on we go', previous_response_id: waiting.id });
  expect(textOf(next)).toBe('on we go');
  expect(model.seen.at(-1)?.messages.map(({ role }) => role)).toEqual(expect.arrayContaining(['assistant', 'tool']));
});

test('one user never holds all places: another is answered at once while the rest of the first one waits', async ({
  service,
}) => {
  const [greedy, modest] = [await addUser(service, 'greedy'), await addUser(service, 'modest')];
  const hanging = Array.from({ length: PLACES + 3 }, () => ask(service, greedy, { input: 'hang', background: true }));
  const turns = await Promise.all(hanging);
  await waitFor('the places of one user to be taken', async () => (await countWaiting(service, greedy)) === 4);

  expect(await ask(service, modest, { input: 'say hello' })).toMatchObject({ status: 'completed' });
  expect(await countWaiting(service, greedy)).toBe(4);
  await Promise.all(turns.map((turn) => cancel(service, greedy, turn)));
  expect(await countWaiting(service, greedy)).toBe(0);
});

/** The threads whose turn is shown as waiting for a place. */
async function countWaiting(service: Service, { headers }: TestUser): Promise<number> {
  const { threads } = (await (await service.request('/api/threads', { headers })).json()) as {
    threads: { waits_for_place?: true }[];
  };
  return threads.filter((thread) => thread.waits_for_place).length;
}

/** Fills the replica with turns whose model does not answer. Returns a function that cancels them. */
async function takeAllPlaces(service: Service): Promise<() => Promise<void>> {
  const [greedy, other] = [await addUser(service, 'greedy'), await addUser(service, 'other')];
  const holders = Array.from({ length: PLACES }, (_, n) => (n === 0 ? other : greedy));
  const held = await Promise.all(
    holders.map(async (user) => ({ user, turn: await ask(service, user, { input: 'hang', background: true }) })),
  );
  await waitFor('all to run', async () => {
    const found = await Promise.all(held.map(({ user, turn }) => get(service, user, turn)));
    return found.every(({ status }) => status === 'in_progress');
  });
  return async () => void (await Promise.all(held.map(({ user, turn }) => cancel(service, user, turn))));
}

const call = async (service: Service, { headers }: TestUser, route: string, body?: object): Promise<WireResponse> => {
  const init = body && { method: 'POST', body: JSON.stringify(body) };
  return (await service.request(`/api/v1/responses${route}`, { ...init, headers })).json() as Promise<WireResponse>;
};
const ask = (service: Service, user: TestUser, body: object) => call(service, user, '', { model: 'm', ...body });
const get = (service: Service, user: TestUser, { id }: WireResponse) => call(service, user, `/${id}`);
const cancel = (service: Service, user: TestUser, { id }: WireResponse) => call(service, user, `/${id}/cancel`, {});
const ended = (service: Service, user: TestUser, response: WireResponse) =>
  waitFor('the turn to end', async () => {
    const found = await get(service, user, response);
    return ['queued', 'in_progress'].includes(found.status) ? undefined : found;
  });
