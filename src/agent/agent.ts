import { NotFound } from '#domain/errors.ts';
import type { Gate } from '#domain/gate.ts';
import type { ThreadId, TurnId } from '#domain/ids.ts';
import type { Item } from '#domain/item.ts';
import type { Principal } from '#domain/principal.ts';
import { type CancelReason, isEnded, type Turn } from '#domain/turn.ts';
import type { NumberedEvent } from '#domain/turn-event.ts';
import type { Engine } from '#engine/engine.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { findTurnRecord } from '#store/turns.ts';
import { cancelTurn } from './cancel-turn.ts';
import { startTurn, type TurnInput } from './start-turn.ts';
import { noReplyYet, replyAfter, replyOf, type TurnReply } from './turn-reply.ts';
import { watchTurn } from './watch-turn.ts';

/** A turn, everything that was said in it, and the gate it ended at. */
export type TurnRecord = { readonly turn: Turn; readonly items: readonly Item[]; readonly gate: Gate | null };

export type TurnPlace = { readonly threadId: ThreadId; readonly turnId: TurnId };

export type WatchOptions = {
  /** The last event already known; from the first one on when left out. */
  readonly after?: number;
  /** Just started by the caller, so there is nothing to catch up with. */
  readonly fresh?: boolean;
  readonly signal: AbortSignal;
};

/** Nothing exists, and nothing of somebody else's either: both throw `NotFound`. */
export type Agent = {
  startTurn(owner: Principal, input: TurnInput): Promise<Turn>;
  getTurn(owner: Principal, place: TurnPlace): Promise<TurnRecord>;
  /** Follows a turn to its end, on any replica. The only way to learn of one. */
  watch(owner: Principal, turn: Turn, options: WatchOptions): AsyncGenerator<NumberedEvent, void>;
  /** The turn as it is when it has ended, or when `signal` says not to wait any longer. */
  outcome(owner: Principal, turn: Turn, signal: AbortSignal): Promise<TurnReply>;
  cancelTurn(owner: Principal, place: TurnPlace, reason: CancelReason): Promise<void>;
};

/** The facade that every channel talks to. */
export function createAgent(db: Database, engine: Engine): Agent {
  const getTurn = (owner: Principal, { threadId, turnId }: TurnPlace) =>
    withOwner(db, owner, async (trx): Promise<TurnRecord> => {
      const record = await findTurnRecord(trx, owner, threadId, turnId);
      if (!record) throw new NotFound('There is no such response.');
      return record;
    });

  const watch: Agent['watch'] = (owner, turn, { after = -1, fresh = false, signal }) => {
    const getRecord = () => getTurn(owner, { threadId: turn.threadId, turnId: turn.id });
    return watchTurn(engine, turn, { after, fresh, signal, getRecord });
  };

  return {
    startTurn: (owner, input) => startTurn(db, engine, owner, input),
    getTurn,
    watch,
    async outcome(owner, turn, signal) {
      let reply = noReplyYet(turn);
      if (!isEnded(turn))
        for await (const { event } of watch(owner, turn, { signal, fresh: turn.attempt < 0 }))
          reply = replyAfter(reply, event);
      return isEnded(reply.turn) && !isEnded(turn)
        ? reply
        : replyOf(await getTurn(owner, { threadId: turn.threadId, turnId: turn.id }));
    },
    cancelTurn: (owner, { threadId, turnId }, reason) => cancelTurn(db, engine, owner, { threadId, turnId }, reason),
  };
}
