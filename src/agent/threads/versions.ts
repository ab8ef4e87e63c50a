import { Conflict, InvalidRequest, NotFound } from '#domain/errors.ts';
import { type ItemId, newId, type ThreadId, type TurnId, type TurnIds } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import { firstWords } from '#domain/text/first-words.ts';
import { type NewItem, type TimedItem, text } from '#domain/thread/item.ts';
import { MAX_THREAD_BYTES, type Thread } from '#domain/thread/thread.ts';
import { refusalAt, type Turn } from '#domain/thread/turn.ts';
import { contentOf } from '#domain/thread/turn-event.ts';
import { lineTo, newestAfter, type PlacedTurn } from '#domain/thread/versions.ts';
import type { TraceContext } from '#domain/trace/trace-context.ts';
import type { Engine } from '#engine/engine.ts';
import { type Database, type OwnedTransaction, withOwner } from '#store/connection.ts';
import { findOpenGate } from '#store/threads/gates.ts';
import { findItemPosition, type ItemPosition, listItemsOfTurn } from '#store/threads/thread-items.ts';
import { countBytes, lockThread, replaceCatalog, takeNextPosition } from '#store/threads/threads.ts';
import { getTurnById, insertTurn, listQueued } from '#store/threads/turns.ts';
import { placeTurns, placeVersion, showLine } from '#store/threads/versions.ts';
import { chooseAgain } from '../input/choose-work.ts';
import { findPlacement } from '../input/find-placement.ts';
import { findEarlier, type Idempotency, type StartedTurn } from '../input/start-turn.ts';

export type Versions = ReturnType<typeof createVersions>;

export type NewVersion = {
  /** What to ask instead; undefined asks the same again. */
  readonly text: string | undefined;
  /** undefined: the model that the earlier version asked for. */
  readonly model: string | undefined;
  readonly idempotency: Idempotency | undefined;
  readonly trace?: TraceContext;
};

/** Versions of messages: a thread keeps all of them and shows one line. Missing and foreign threads both throw `NotFound`. */
export function createVersions(db: Database, engine: Engine) {
  return {
    /**
     * Starts a turn in place of the one with this item: with another text for a message of the user, or with the message
     * that led to the item. Everything after that message is hidden, not deleted.
     */
    async start(owner: Principal, threadId: ThreadId, item: ItemId, version: NewVersion): Promise<StartedTurn> {
      const started = await withOwner(db, owner, async (trx): Promise<StartedTurn> => {
        const id = newId<TurnId>();
        const earlier = await findEarlier(trx, owner, id, version);
        if (earlier) return { turn: earlier, fresh: false, placed: await findPlacement(trx, owner, earlier) };
        const turn = await insertVersion(trx, owner, id, { threadId, item, version });
        return { turn, fresh: true, placed: { type: 'started' } };
      });
      if (!started.fresh) return started;
      if (started.turn.status === 'queued') engine.kick(started.turn);
      engine.notifyThread(started.turn);
      return started;
    },

    /** Shows the line that leads through a turn to the newest turn after it. */
    async show(owner: Principal, { threadId, turnId }: TurnIds): Promise<void> {
      const isChanged = await withOwner(db, owner, async (trx) => {
        const thread = (await lockThread(trx, owner, threadId)) ?? missing('thread');
        const placed = await placeTurns(trx, owner, threadId);
        const turn = placed.find(({ id }) => id === turnId) ?? missing('version');
        if (!turn.hidden) return false;
        await checkIdle(trx, owner, thread);
        await showLine(trx, owner, threadId, lineTo(placed, newestAfter(placed, turn.seq)));
        return true;
      });
      if (isChanged) engine.notifyThread({ threadId, userId: owner.userId });
    },
  };
}

async function insertVersion(
  trx: OwnedTransaction,
  owner: Principal,
  id: TurnId,
  { threadId, item, version }: { threadId: ThreadId; item: ItemId; version: NewVersion },
): Promise<Turn> {
  const thread = (await lockThread(trx, owner, threadId)) ?? missing('thread');
  const position = (await findItemPosition(trx, owner, threadId, item)) ?? missing('message');
  await checkIdle(trx, owner, thread);
  const placed = await placeTurns(trx, owner, threadId);
  const { turn, input } = await findAsked(trx, owner, threadId, placed, position);
  const items = inputOf(input, item, version.text);

  const { preview } = firstWords(items);
  const bytes = Buffer.byteLength(JSON.stringify(items));
  if ((await countBytes(trx, owner, threadId)) + bytes > MAX_THREAD_BYTES)
    throw new Conflict('thread_full', 'This thread holds as much as one thread can. Begin a new one.');
  const { lastSeq: seq } = (await takeNextPosition(trx, owner, threadId, id, { preview, bytes })) ?? missing('thread');
  const asked = await getTurnById(trx, owner, turn.id);
  const request = {
    ...(await chooseAgain(trx, owner, asked.request, version.model)),
    temperature: null,
    tools: [],
    echo: {},
    ...(asked.request.withoutWeb && { withoutWeb: true as const }),
    ...(version.trace && { trace: version.trace }),
  };
  const inserted = await insertTurn(trx, owner, { id, threadId, seq, channel: 'gateway', request }, items, true);
  const origin = version.text === undefined ? (turn.origin ?? turn.seq) : null;
  await placeVersion(trx, owner, id, { follows: turn.follows, origin });
  await showLine(trx, owner, threadId, [...lineTo(placed, turn.follows), seq]);
  if (thread.catalog.length > 0) await replaceCatalog(trx, owner, threadId, []);
  return inserted;
}

/** A running turn counts on the line it has read, and an open gate refers to a call of that line. */
async function checkIdle(trx: OwnedTransaction, owner: Principal, thread: Thread): Promise<void> {
  if (thread.active || (await listQueued(trx, owner, thread.id)).length > 0)
    throw new Conflict('thread_busy', 'The thread is not done with its messages. Stop it, or try again when it is.');
  const gate = await findOpenGate(trx, owner, thread.id);
  if (gate) throw new Conflict('thread_busy', refusalAt(gate).message);
}

/** The turn whose message led to the item at `position`, and its input up to that message. Turns after a gate have no message. */
async function findAsked(
  trx: OwnedTransaction,
  owner: Principal,
  threadId: ThreadId,
  placed: readonly PlacedTurn[],
  { turnSeq, position }: ItemPosition,
): Promise<{ turn: PlacedTurn; input: TimedItem[] }> {
  for (const seq of lineTo(placed, turnSeq)) {
    const turn = placed.find((each) => each.seq === seq);
    const items = await listItemsOfTurn(trx, owner, { threadId, seq });
    const before = items.filter((item) => item.attempt === null && (seq < turnSeq || item.position <= position));
    const end = before.findLastIndex((item) => item.type === 'message' && item.role === 'user');
    if (turn && end >= 0) return { turn, input: before.slice(0, end + 1) };
  }
  throw new InvalidRequest('invalid_request', null, 'No message of the user leads to this item.');
}

/** Copies of the items, with other words for the last one, which is the message. Its files and text by others stay. */
function inputOf(input: readonly TimedItem[], item: ItemId, words: string | undefined): NewItem[] {
  const message = input.at(-1);
  if (words !== undefined && message?.id !== item)
    throw new InvalidRequest('invalid_request', 'text', 'Only a message of the user can get another text.');
  return input.map((each): NewItem => {
    const copy = { ...contentOf(each), id: newId<ItemId>() };
    if (each !== message || words === undefined || copy.type !== 'message') return copy;
    const { id, type, role, status } = copy; // the person has written this one
    const kept = copy.content.filter((part) => part.type !== 'text' || part.origin === 'others');
    return { id, type, role, status, content: [text(words), ...kept] };
  });
}

function missing(what: 'thread' | 'message' | 'version'): never {
  throw new NotFound(`This ${what} does not exist.`);
}
