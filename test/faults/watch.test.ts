import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { readStream, type StreamEvent } from '../support/read-stream.ts';
import { textOf, type WireResponse } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Cluster, type Replica, startCluster } from './cluster.ts';
import { query } from './query.ts';
import { STATEMENTS } from './statements.ts';

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster();
});

afterEach(() => cluster.forget());

afterAll(() => cluster.close());

test('a watcher that reconnects to another replica with its last number sees every later event once', async () => {
  const [one, other] = await cluster.pair();
  const first = await take(await one.post({ input: 'count 60 every 30', stream: true }), 12);
  const id = first[0]?.response?.id ?? '';

  const rest = await watch(other, id, first.at(-1)?.sequence_number);

  const all = [...first, ...rest];
  expect(all.map((event) => event.sequence_number)).toEqual(all.map((_, index) => index));
  expect(all.at(-1)?.type).toBe('response.completed');
  expect(saidIn(all)).toBe(textOf(await other.get(id)));
});

test('a watcher survives the replica that ran its turn, and half a message is closed as incomplete', async () => {
  const [victim, survivor] = await cluster.pair();
  const { id } = await victim.ask('count 40 every 40', { background: true });
  const events: StreamEvent[] = [];
  for await (const event of readStream(await survivor.request(`/api/v1/responses/${id}?stream=true`))) {
    events.push(event);
    if (events.length === 12) await victim.kill();
  }

  const numbers = events.map((event) => event.sequence_number);
  expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
  expect(numbers.at(-1)).toBeGreaterThan(1_000_000);
  const messages = events.filter((event) => event.type === 'response.output_item.done').map((event) => event.item);
  expect(messages.map((item) => item?.status)).toEqual(['incomplete', 'completed']);
  const final = await survivor.get(id);
  expect(final.output.map((item) => item.id)).toEqual([messages[1]?.id]);
  expect(saidIn(events, messages[1]?.id)).toBe(textOf(final));

  // A later read returns the same.
  const again = await watch(survivor, id, undefined);
  expect(again.map((event) => [event.sequence_number, event.type])).toEqual(
    events.map((event) => [event.sequence_number, event.type]),
  );
});

test.each([
  ['a message', () => 'count 10 every 20'],
  ['a message after a tool call', () => `use mark_again {"ledger":"${cluster.ledger.url}","pause":150}`],
])(
  'a watcher of a replica that dies right after it has stored %s reads no text twice on another one',
  async (_, input) => {
    const [victim, survivor] = await cluster.pair();
    const events: StreamEvent[] = [];
    for await (const event of readStream(await victim.post({ input: input(), stream: true }))) {
      events.push(event);
      if (event.type === 'response.output_text.done') break;
    }
    await victim.kill();
    const id = events[0]?.response?.id ?? '';
    events.push(...(await watch(survivor, id, events.at(-1)?.sequence_number)));

    const added = events.filter((event) => event.type === 'response.output_item.added').map((event) => event.item?.id);
    expect(added).toEqual([...new Set(added)]);
    expect(saidIn(events)).toBe(textOf(await survivor.get(id)));
  },
);

test('text whose write lost its answer still arrives in a stream on another replica', async () => {
  const line = await cluster.startLine();
  const [[other], runner] = await Promise.all([cluster.pair(), cluster.start(line)]);
  for (let round = 0; round < 3; round++) {
    const { id } = await runner.ask('count 60 every 30', { background: true });
    const stream = await other.request(`/api/v1/responses/${id}?stream=true`);
    const lost = line.loseAnswerTo(STATEMENTS.events);
    const [events] = await Promise.all([Array.fromAsync(readStream(stream)), lost]);
    expect(saidIn(events)).toBe(textOf(await other.get(id)));
  }
});

test('a cancel on one replica stops the model call on another', async () => {
  const [one, other] = await cluster.pair();
  const stream = readStream(await one.post({ input: 'count 600 every 50', stream: true }));
  const id = (await stream.next()).value?.response?.id ?? '';

  const cancelled = (await (
    await other.request(`/api/v1/responses/${id}/cancel`, { method: 'POST', body: '{}' })
  ).json()) as WireResponse;

  expect(cancelled).toMatchObject({ status: 'cancelled', model: 'reborn' });
  let last: StreamEvent | undefined;
  for await (const event of stream) last = event;
  expect(last).toMatchObject({ type: 'response.failed', response: { status: 'cancelled' } });
});

test('when the event log is gone, a stream is built from the items', async () => {
  const [replica] = await cluster.pair();
  const { id } = await replica.ask('say all of this');
  await waitFor('the end of the log', async () => {
    const [end] = await query(cluster, "select from turn_events where events::text like '%turn-ended%'");
    return end !== undefined;
  });
  await query(cluster, 'delete from turn_events');
  const early = await watch(replica, id, undefined); // the log may still be written, so its numbers are not used
  expect(saidIn(early)).toBe('all of this');
  expect(early.at(-1)?.sequence_number).toBeGreaterThan(1_000_000);

  await query(cluster, "update turns set ended_at = ended_at - interval '1 hour'");
  const events = await watch(replica, id, undefined);
  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
  expect(saidIn(events)).toBe('all of this');
  expect((await watch(replica, id, 5000)).map((event) => event.type)).toEqual([
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.completed',
  ]);
});

async function take(response: Response, count: number): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of readStream(response)) {
    events.push(event);
    if (events.length === count) break;
  }
  return events;
}

async function watch(replica: Replica, id: string, after: number | undefined): Promise<StreamEvent[]> {
  const more = after === undefined ? '' : `&starting_after=${after}`;
  return Array.fromAsync(readStream(await replica.request(`/api/v1/responses/${id}?stream=true${more}`)));
}

function saidIn(events: readonly StreamEvent[], itemId?: string): string {
  return events
    .filter((event) => !itemId || event.item_id === itemId)
    .map((event) => event.delta ?? '')
    .join('');
}
