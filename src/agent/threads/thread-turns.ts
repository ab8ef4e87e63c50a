import { NotFound } from '#domain/errors.ts';
import type { ThreadId, TurnId, TurnIds } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import type { TimedItem } from '#domain/thread/item.ts';
import type { Placement } from '#domain/thread/thread.ts';
import type { Steers, Turn } from '#domain/thread/turn.ts';
import type { Engine } from '#engine/engine.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { findOpenGate } from '#store/threads/gates.ts';
import { listItemsOfTurn } from '#store/threads/thread-items.ts';
import { findThread } from '#store/threads/thread-listings.ts';
import { findTurnTimes } from '#store/threads/turn-details.ts';
import { findTurn, listQueued, listTurnsFrom } from '#store/threads/turns.ts';
import { type ShownGate, showGate } from '../gates/shown-gate.ts';
import { withdrawTurn } from '../input/delete-turn.ts';
import { placeQueued } from '../input/find-placement.ts';
import { hurryTurn } from '../input/hurry-turn.ts';
import { holdThread } from './hold-thread.ts';

export type QueuedTurn = {
  readonly turn: Turn;
  readonly placed: Placement;
  readonly items: readonly TimedItem[];
};

type TurnsFrom = { readonly turns: readonly Turn[]; readonly active: TurnId | null; readonly line: number };

/** The turns of threads: those that have run, the active one, and those that wait. */
export function createThreadTurns(db: Database, engine: Engine) {
  return {
    /** The shown turns from number `seq` on, in order, the active one, and the number of the line; undefined when the thread no longer exists. */
    turnsFrom: (owner: Principal, id: ThreadId, seq: number): Promise<TurnsFrom | undefined> =>
      withOwner(db, owner, async (trx) => {
        const found = await listTurnsFrom(trx, owner, id, seq);
        if (found) return found;
        const thread = await findThread(trx, owner, id);
        return thread && { turns: [], active: null, line: thread.line };
      }),

    /** The number of the unfinished turn, if there is one, and the number of the turn that starts next. */
    getEnd: (owner: Principal, id: ThreadId): Promise<{ active: number | undefined; next: number }> =>
      holdThread(db, owner, id, async (trx, { active, lastSeq }) => {
        const turn = active === null ? undefined : await findTurn(trx, owner, id, active);
        const [waiting] = turn ? [] : await listQueued(trx, owner, id);
        return { active: turn?.seq, next: waiting?.seq ?? lastSeq + 1 };
      }),

    /** The input items of a turn. */
    inputOf: (owner: Principal, turn: Turn): Promise<TimedItem[]> =>
      withOwner(db, owner, async (trx) =>
        // Read again: its number grows when a gate before it is answered.
        (await listItemsOfTurn(trx, owner, (await findTurn(trx, owner, turn.threadId, turn.id)) ?? turn)).filter(
          (item) => item.attempt === null,
        ),
      ),

    /** The turns that wait behind the running one or the open gate, in order, with their input. */
    queue: (owner: Principal, id: ThreadId): Promise<QueuedTurn[]> =>
      holdThread(db, owner, id, async (trx) => {
        const queued: QueuedTurn[] = [];
        for (const each of await placeQueued(trx, owner, { threadId: id }))
          queued.push({ ...each, items: await listItemsOfTurn(trx, owner, each.turn) });
        return queued;
      }),

    /** Removes a message from the queue, as if it had never been sent. */
    withdraw: (owner: Principal, ids: TurnIds): Promise<void> => withdrawTurn(db, engine, owner, ids),

    /** Lets a message that waits steer the running turn. Returns where it is then. */
    hurry: (owner: Principal, ids: TurnIds, steers: Steers): Promise<Placement | null> =>
      hurryTurn(db, engine, owner, ids, steers),

    /** A turn of any of the owner's threads. */
    async getTurn(owner: Principal, id: TurnId): Promise<Turn> {
      const turn = await withOwner(db, owner, async (trx) => {
        const at = await findTurnTimes(trx, owner, id);
        return at && findTurn(trx, owner, at.threadId, id);
      });
      if (!turn) throw new NotFound('This turn does not exist.');
      return turn;
    },

    /** The thread's open gate. */
    async findGate(owner: Principal, id: ThreadId): Promise<ShownGate | undefined> {
      const gate = await withOwner(db, owner, (trx) => findOpenGate(trx, owner, id));
      return gate && showGate(db, gate);
    },
  };
}
