import { expect, test } from 'vitest';
import type { Agent } from '#agent/agent.ts';
import { watchTurn } from '#agent/turn/watch-turn.ts';
import type { ItemId, ThreadId, TurnId } from '#domain/ids.ts';
import { type Item, type NewItem, text } from '#domain/thread/item.ts';
import type { Turn } from '#domain/thread/turn.ts';
import type { NumberedEvent, TurnEvent } from '#domain/thread/turn-event.ts';
import { NO_USAGE } from '#domain/usage.ts';
import { type NumberedStreamEvent, streamResponse } from './response-events.ts';

const turn: Turn = {
  id: '01234567-89ab-7def-8123-456789abcdef' as TurnId,
  threadId: '01234567-89ab-7def-8123-000000000000' as ThreadId,
  userId: 'ann',
  seq: 1,
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

const message = (id: string, words: string): NewItem => ({
  id: id as ItemId,
  type: 'message',
  role: 'assistant',
  content: words ? [text(words)] : [],
  status: 'completed',
});

const made = Object.entries(TEXTS).flatMap(([id, words]): TurnEvent[] => [
  { type: 'item-added', item: message(id, '') },
  ...words.split(/(?<= )/).map((delta) => ({ type: 'text-delta' as const, itemId: id as ItemId, delta })),
  { type: 'item-done', item: message(id, words), written: true },
]);
const ended: TurnEvent = {
  type: 'turn-ended',
  status: 'completed',
  failure: null,
  gate: null,
  usage: NO_USAGE,
  endedAt: '2023-11-14T22:13:25.000Z',
};
const log: NumberedEvent[] = [...made, ended].map((event, sequence) => ({ sequence, event }));
const items = Object.entries(TEXTS).map(([id, words]) => ({ ...message(id, words), attempt: 0 }) as unknown as Item);

/** What a client gets that comes back with this number when the log has only these events. */
function read(left: readonly NumberedEvent[], startingAfter: number): Promise<NumberedStreamEvent[]> {
  const { signal } = new AbortController();
  async function* logged() {
    yield* left;
  }
  const engine = { watch: logged, isLastEvent: async () => false } as unknown as Parameters<typeof watchTurn>[0];
  const getRecord = async () => ({ turn, items, gate: null });
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

test('a client that comes back gets the end of every message, and no text twice or with a hole, whatever of the log is lost', async () => {
  const whole = await read(log, -1);
  const wrong: string[] = [];
  for (const lost of LOST) {
    const left = log.filter(({ sequence }) => !(lost & (1 << sequence)));
    for (let seen = 0; seen < whole.length; seen++) {
      const [before, after] = [whole.slice(0, seen), await read(left, seen - 1)];
      const texts = Object.keys(TEXTS).map((id) => textsOf([...before, ...after], id));
      const isWhole = Object.values(TEXTS).every((words, index) => {
        const { said, done } = texts[index] ?? {};
        return done === words && words.startsWith(said ?? '-');
      });
      const isInOrder = after.every(
        (event, index) => event.sequence_number > (after[index - 1]?.sequence_number ?? -1),
      );
      if (!isWhole || !isInOrder || after.at(-1)?.type !== 'response.completed')
        wrong.push(`without ${lost.toString(2)}, after ${seen - 1}: ${JSON.stringify(texts)}`);
    }
  }
  expect(wrong).toEqual([]);
});

test('a client that comes back to a whole log gets exactly the rest', async () => {
  const whole = await read(log, -1);
  for (let seen = 0; seen < whole.length; seen++) expect(await read(log, seen - 1)).toEqual(whole.slice(seen));
});
