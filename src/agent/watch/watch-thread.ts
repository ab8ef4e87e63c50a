import { NotFound } from '#domain/errors.ts';
import type { GateId, ThreadId, TurnId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import type { TimedItem } from '#domain/thread/item.ts';
import { isEnded, type Turn } from '#domain/thread/turn.ts';
import type { NumberedEvent } from '#domain/thread/turn-event.ts';
import type { ShownGate } from '../gates/shown-gate.ts';
import type { Threads } from '../threads/threads.ts';
import type { WatchOwnTurn } from './watch-turn.ts';

/** What followers of a thread receive. */
export type ThreadEvent =
  /** A turn was accepted; `items` is its input. */
  | { readonly kind: 'started'; readonly turn: Turn; readonly items: readonly TimedItem[] }
  | { readonly kind: 'event'; readonly turn: Turn; readonly numbered: NumberedEvent }
  /** The thread waits at this gate; null: its gate was answered. */
  | { readonly kind: 'gate'; readonly gate: ShownGate | null }
  /** Another line of its turns is shown: items that were read with another number may be hidden now. */
  | { readonly kind: 'line'; readonly line: number };

export type ThreadWatch = {
  /** The last turn and event that the follower has. -1 is the turn's start; without `sequence`, nothing of the turn is known. */
  readonly after: { readonly turnId: TurnId; readonly sequence: number | undefined } | undefined;
  readonly signal: AbortSignal;
};

/** The number of a turn's start, before all its events. */
export const STARTED = -1;

/**
 * Follows a thread without end: its turns one after the other, each from its start to its end, wherever they run and
 * on any channel. Messages that wait behind an open gate follow when they start. Without `after`, it begins with the unfinished
 * turn. It waits for a slow reader.
 */
export async function* watchThread(
  { agent, threads }: { agent: { watch: WatchOwnTurn }; threads: Threads },
  owner: Principal,
  threadId: ThreadId,
  { after, signal }: ThreadWatch,
): AsyncGenerator<ThreadEvent, void> {
  const bell = createBell(signal);
  const unfollow = threads.follow(owner, (change) => {
    if (change.threadId === threadId) bell.ring();
  });
  try {
    let seq = await findStart(threads, owner, threadId, after);
    let line = 0;
    let open: { readonly id: GateId; readonly seq: number } | undefined;
    let isTold = after?.sequence === undefined; // a follower that comes back may know a gate that was answered meanwhile
    const behindGate = new Set<TurnId>(); // turns behind an open gate that were sent already
    while (!signal.aborted) {
      const seen = await threads.turnsFrom(owner, threadId, seq);
      if (!seen) return; // it was deleted
      if (seen.line !== line) yield { kind: 'line', line: seen.line };
      line = seen.line;
      const gate = await threads.findGate(owner, threadId);
      if (!isTold || gate?.id !== open?.id) {
        isTold = true;
        yield { kind: 'gate', gate: gate ?? null };
        if (open) seq = Math.min(seq, open.seq + 1); // the turn that answers it comes before the turns behind it
        open = gate && { id: gate.id, seq: (await threads.getTurn(owner, gate.turnId)).seq };
        continue;
      }
      const from = seq;
      let isBehind = false;
      for (const turn of seen.turns) {
        isBehind ||= !isEnded(turn) && turn.id !== seen.active;
        if (isBehind && !isEnded(turn)) continue; // it waits behind the gate
        if (!behindGate.has(turn.id)) yield* followTurn(turn, turn.id === after?.turnId ? after.sequence : undefined);
        if (isBehind || (open && turn.seq > open.seq)) behindGate.add(turn.id);
        if (!isBehind) seq = turn.seq + 1;
        if (signal.aborted) return;
        if (!isEnded(turn)) break; // those behind it may have been withdrawn meanwhile
      }
      if (seq === from) await bell.rung();
    }
  } finally {
    unfollow();
  }

  async function* followTurn(turn: Turn, known: number | undefined): AsyncGenerator<ThreadEvent, void> {
    if (known === undefined) yield { kind: 'started', turn, items: await threads.inputOf(owner, turn) };
    for await (const numbered of agent.watch(owner, turn, { after: known ?? STARTED, signal }))
      yield { kind: 'event', turn, numbered };
  }
}

/** The number of the first turn to send. */
async function findStart(
  threads: Threads,
  owner: Principal,
  threadId: ThreadId,
  after: ThreadWatch['after'],
): Promise<number> {
  if (after) {
    const turn = await threads.getTurn(owner, after.turnId);
    if (turn.threadId !== threadId) throw new NotFound('This thread has no turn with this id.');
    return turn.seq;
  }
  const { active, next } = await threads.getEnd(owner, threadId);
  return active ?? next;
}

/** A signal without a listener reaches the next one that listens. */
function createBell(signal: AbortSignal) {
  let rung = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => rung.resolve(), { once: true });
  return {
    ring: () => rung.resolve(),
    async rung(): Promise<void> {
      await rung.promise;
      if (!signal.aborted) rung = Promise.withResolvers<void>();
    },
  };
}
