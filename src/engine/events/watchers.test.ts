import { afterEach, expect, test } from 'vitest';
import type { ItemId, TurnId } from '#domain/ids.ts';
import type { NumberedEvent, TurnEvent } from '#domain/thread/turn-event.ts';
import { NO_USAGE } from '#domain/usage.ts';
import type { EnginePool } from '../engine-connection.ts';
import type { EventWriter } from './event-writer.ts';
import { createWatchers } from './watchers.ts';

const TURN = '018f0000-0000-7000-8000-000000000000' as TurnId;
const delta = (sequence: number): NumberedEvent => ({
  sequence,
  event: { type: 'text-delta', itemId: 'i' as ItemId, delta: `${sequence} ` },
});
const ended = (sequence: number): NumberedEvent => {
  const event: TurnEvent = {
    type: 'turn-ended',
    status: 'completed',
    failure: null,
    gate: null,
    usage: NO_USAGE,
    endedAt: '',
  };
  return { sequence, event };
};

/** A log that keeps all written events and counts the reads. */
function fakeLog() {
  const log: NumberedEvent[] = [];
  let reads = 0;
  const pool = {
    query: async (_statement: string, [, afters]: [string[], number[]]) => {
      reads++;
      const after = afters[0] ?? -1;
      const events = log.filter(({ sequence }) => sequence > after);
      const rows = events.map(({ sequence, event }) => ({
        turnId: TURN,
        after,
        first: sequence,
        events: [merged(event)],
      }));
      return { rows };
    },
  };
  const merged = (event: TurnEvent) =>
    event.type === 'text-delta' ? { type: 'text-deltas', itemId: event.itemId, deltas: [event.delta] } : event;
  const writer = { pending: () => [] } as unknown as EventWriter;
  const watchers = createWatchers({
    pool: pool as unknown as EnginePool,
    writer,
    eventCount: () => 0,
    onAway: () => {},
    onError: (error) => expect.fail(String(error)),
  });
  stops.push(() => watchers.stop());
  return { log, watchers, reads: () => reads };
}

const stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

const options = { after: -1, fresh: true, onlyEnd: false, signal: new AbortController().signal };

test('a watcher of a turn that runs here gets every event once, from memory', async () => {
  const { watchers, reads } = fakeLog();
  const watching = Array.fromAsync(watchers.watch(TURN, options));
  for (const event of [delta(0), delta(1), ended(2)]) watchers.push(TURN, event);

  expect((await watching).map(({ sequence }) => sequence)).toEqual([0, 1, 2]);
  expect(reads()).toBe(0);
});

test('the queue of a slow reader is bounded: it reads the rest from the log, in order and once', async () => {
  const { log, watchers, reads } = fakeLog();
  const watching = watchers.watch(TURN, options);
  const first = watching.next();
  for (let sequence = 0; sequence < 2500; sequence++) {
    log.push(delta(sequence));
    watchers.push(TURN, delta(sequence));
  }
  log.push(ended(2500));
  watchers.push(TURN, ended(2500));

  const seen = [(await first).value, ...(await Array.fromAsync(watching))].map((event) => event?.sequence);
  expect(seen).toEqual(Array.from({ length: 2501 }, (_, index) => index));
  expect(reads()).toBeGreaterThan(0);
});

test('a late watcher catches up from the log and then follows from memory', async () => {
  const { log, watchers } = fakeLog();
  log.push(delta(0), delta(1));
  const watching = watchers.watch(TURN, { ...options, fresh: false });

  expect((await watching.next()).value?.sequence).toBe(0);
  watchers.push(TURN, delta(2));
  watchers.push(TURN, ended(3));
  expect((await Array.fromAsync(watching)).map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
});

test('a watcher that leaves is removed', async () => {
  const { watchers } = fakeLog();
  const gone = new AbortController();
  const watching = Array.fromAsync(watchers.watch(TURN, { ...options, signal: gone.signal }));
  watchers.push(TURN, delta(0));
  gone.abort();

  expect(await watching).toEqual([]);
});

test('a turn is shown while a client sees its events, not while one waits for its end', async () => {
  const { watchers } = fakeLog();
  const waiting = Array.fromAsync(watchers.watch(TURN, { ...options, onlyEnd: true }));
  expect(watchers.isShown(TURN)).toBe(false);
  const watching = Array.fromAsync(watchers.watch(TURN, options));
  expect(watchers.isShown(TURN)).toBe(true);
  watchers.push(TURN, ended(0));
  await Promise.all([waiting, watching]);
  expect(watchers.isShown(TURN)).toBe(false);
});

test('a caller who waits for the end gets all events together', async () => {
  const { watchers, reads } = fakeLog();
  const collecting = watchers.collect(TURN, options.signal);
  for (const event of [delta(0), delta(1), ended(2)]) watchers.push(TURN, event);

  expect((await collecting)?.map(({ sequence }) => sequence)).toEqual([0, 1, 2]);
  expect(reads()).toBe(0);
  expect(watchers.isShown(TURN)).toBe(false);
});

test('events that may be incomplete are not returned together', async () => {
  const { watchers } = fakeLog();
  const missed = watchers.collect(TURN, options.signal);
  for (const event of [delta(1), ended(2)]) watchers.push(TURN, event);
  const many = watchers.collect(TURN, options.signal);
  for (let sequence = 0; sequence <= 1000; sequence++) watchers.push(TURN, delta(sequence));
  const gone = new AbortController();
  const left = watchers.collect(TURN, gone.signal);
  gone.abort();

  expect(await Promise.all([missed, many, left])).toEqual([undefined, undefined, undefined]);
});
