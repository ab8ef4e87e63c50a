import { expect, test } from 'vitest';
import type { Agent } from '#agent/agent.ts';
import { watchTurn } from '#agent/watch/watch-turn.ts';
import type { ThreadId, TurnId } from '#domain/ids.ts';
import type { Item } from '#domain/thread/item.ts';
import type { Turn } from '#domain/thread/turn.ts';
import { firstSequence, type NumberedEvent, type TurnEvent } from '#domain/thread/turn-event.ts';
import { NO_USAGE } from '#domain/usage.ts';
import { deltaOf, eventsOfMessage, messageOf, numbered } from '../../../../test/support/turn-events.ts';
import { streamResponse } from './response-events.ts';
import type { NumberedStreamEvent } from './stream-event.ts';

const turn: Turn = {
  id: '01234567-89ab-7def-8123-456789abcdef' as TurnId,
  threadId: '01234567-89ab-7def-8123-000000000000' as ThreadId,
  userId: 'ann',
  seq: 1,
  run: null,
  steers: null,
  steeredBy: null,
  status: 'completed',
  channel: 'responses',
  request: { model: 'm', temperature: null, tools: [], echo: {} },
  failure: null,
  usage: NO_USAGE,
  attempt: 0,
  cancelReason: null,
  createdAt: new Date(1_700_000_000_000),
  endedAt: new Date(1_700_000_005_000),
};

const TEXTS = {
  '01234567-89ab-7def-8123-00000000000a': 'one two',
  '01234567-89ab-7def-8123-00000000000b': 'three four',
};

const made = Object.entries(TEXTS).flatMap(([id, words]) => eventsOfMessage(id, words));
const ended: TurnEvent = {
  type: 'turn-ended',
  status: 'completed',
  failure: null,
  gate: null,
  usage: NO_USAGE,
  endedAt: '2023-11-14T22:13:25.000Z',
};
const log = numbered([...made, ended]);
const items = Object.entries(TEXTS).map(([id, words]) => ({ ...messageOf(id, words), attempt: 0 }) as unknown as Item);

/** What a client gets that comes back with this number when the log has only these events. */
function read(
  left: readonly NumberedEvent[],
  startingAfter: number,
  endedAt = turn.endedAt,
): Promise<NumberedStreamEvent[]> {
  const { signal } = new AbortController();
  async function* logged() {
    yield* left;
  }
  const engine = { watch: logged, isLastEvent: async () => false } as unknown as Parameters<typeof watchTurn>[0];
  const getRecord = async () => ({ turn: { ...turn, endedAt }, items, gate: null });
  const watch = () => watchTurn(engine, turn, { after: -1, fresh: false, onlyEnd: false, signal, getRecord });
  const agent = { watch } as unknown as Agent;
  const owner = { userId: 'ann', role: 'member' as const };
  return Array.fromAsync(streamResponse(agent, owner, turn, { model: 'm', startingAfter, fresh: false, signal }));
}

const wireId = (id: string) => `msg_${id.replaceAll('-', '')}`;

/** The text of a message as a client puts it together, and as its end says. */
function textsOf(events: readonly NumberedStreamEvent[], id: string) {
  const own = events.filter((event) => 'item_id' in event && event.item_id === wireId(id));
  const said = own.map((event) => (event.type === 'response.output_text.delta' ? event.delta : '')).join('');
  const done = own.findLast((event) => event.type === 'response.output_text.done');
  return { said, done: done?.text };
}

const LOST = Array.from({ length: 2 ** log.length }, (_, lost) => lost);

test('a client that comes back gets the end of every message, and no text twice or with a hole, when any part of the log is lost', async () => {
  const whole = await read(log, -1);
  const wrong: string[] = [];
  for (const lost of LOST) {
    const left = log.filter(({ sequence }) => !(lost & (1 << sequence)));
    for (let seen = 0; seen < whole.length; seen++) {
      const [before, after] = [whole.slice(0, seen), await read(left, seen - 1)];
      if (!isComplete([...before, ...after], after)) wrong.push(`without ${lost.toString(2)}, after ${seen - 1}`);
    }
  }
  expect(wrong).toEqual([]);
});

test('so does a client that comes back twice, when the end of the log was written only between the two', async () => {
  const whole = await read(log, -1);
  const wrong: string[] = [];
  for (let written = 0; written < log.length; written++)
    for (let seen = 0; seen < whole.length; seen++) {
      const early = await read(log.slice(0, written), seen - 1, new Date());
      for (let more = 0; more < early.length; more++) {
        const before = [...whole.slice(0, seen), ...early.slice(0, more)];
        const after = await read(log, before.at(-1)?.sequence_number ?? -1);
        if (!isComplete([...before, ...after], after))
          wrong.push(`${written} written, ${seen} seen, then ${more} more`);
      }
    }
  expect(wrong).toEqual([]);
});

/** How the log looks when it was lost after so many items were stored, and the next attempt has repeated them. */
function toldAgain(stored: number): NumberedEvent[] {
  const earlier = Object.entries(TEXTS).slice(0, stored);
  const later = Object.entries(TEXTS).slice(stored);
  const again = earlier.flatMap(([id, words]): TurnEvent[] => [
    { type: 'item-added', item: messageOf(id), earlier: true },
    deltaOf(id, words),
    { type: 'item-done', item: messageOf(id, words), written: true },
  ]);
  const rest = later.flatMap(([id, words]) => eventsOfMessage(id, words));
  return numbered([...again, ...rest, ended], firstSequence(1));
}

/** The next attempt says a message that was not stored under another id; here a client has seen only what was stored. */
const TOLD_AGAIN = [0, 1, 2].flatMap((stored) =>
  Array.from({ length: 2 + stored * 7 }, (_, seen) => ({ stored, seen: seen + 1 })),
);

test.each(TOLD_AGAIN)(
  'a log that is lost with $stored messages stored, and repeated by the next attempt: a client that has seen $seen events comes back, or never left',
  async ({ stored, seen }) => {
    const whole = await read(log, -1);
    const before = whole.slice(0, seen);
    const after = await read(toldAgain(stored), seen - 1);
    expect(isComplete([...before, ...after], after)).toBe(true);

    for (let logged = 0; logged < log.length - 1; logged++) {
      const stayed = await read([...log.slice(0, logged), ...toldAgain(stored)], -1);
      for (const [id, words] of Object.entries(TEXTS).slice(0, stored))
        expect(textsOf(stayed, id)).toEqual({ said: words, done: words });
    }
  },
);

/** Whether a client knows the end of every message, no text twice or with a hole, and what it got last came in order. */
function isComplete(all: readonly NumberedStreamEvent[], after: readonly NumberedStreamEvent[]): boolean {
  const isWhole = Object.entries(TEXTS).every(([id, words]) => {
    const { said, done } = textsOf(all, id);
    return done === words && words.startsWith(said);
  });
  const isInOrder = after.every((event, index) => event.sequence_number > (after[index - 1]?.sequence_number ?? -1));
  return isWhole && isInOrder && after.at(-1)?.type === 'response.completed';
}

test('a client that comes back to a whole log gets exactly the rest', async () => {
  const whole = await read(log, -1);
  for (let seen = 0; seen < whole.length; seen++) expect(await read(log, seen - 1)).toEqual(whole.slice(seen));
});
