import { NotFound } from '#domain/errors.ts';
import type { TurnIds } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import { isEnded, type Turn, type TurnRecord } from '#domain/thread/turn.ts';
import type { Engine } from '#engine/engine.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { findTurnRecord } from '#store/threads/turns.ts';
import { cancelTurn } from '../input/cancel-turn.ts';
import { noReplyYet, replyAfter, replyOf, type TurnReply } from './turn-reply.ts';
import { type WatchOwnTurn, watchTurn } from './watch-turn.ts';

/** How long to wait for a cancelled turn to end. After that, the reply shows the turn as it is. */
const CANCEL_MS = 5000;

/** `fresh`: it was just started here. */
export type FollowedTurn = { readonly turn: Turn; readonly fresh: boolean };

/** Reads turns of their owners, and follows them to their end. */
export function createTurnFollower(db: Database, engine: Engine) {
  const getRecord = (owner: Principal, { threadId, turnId }: TurnIds) =>
    withOwner(db, owner, async (trx): Promise<TurnRecord> => {
      const record = await findTurnRecord(trx, owner, threadId, turnId);
      if (!record) throw noResponse();
      return record;
    });

  const watch: WatchOwnTurn = (owner, turn, { after = -1, fresh = false, onlyEnd = false, signal }) =>
    watchTurn(engine, turn, { after, fresh, onlyEnd, signal, getRecord: () => getRecord(owner, idsOf(turn)) });

  /** The reply that the turn's events add up to. If they end early, the reply that is stored now. */
  async function follow(owner: Principal, { turn, fresh }: FollowedTurn, signal: AbortSignal): Promise<TurnReply> {
    let reply = noReplyYet(turn);
    const all = fresh && !isEnded(turn) ? await engine.collect(turn.id, signal) : undefined;
    if (all) return all.reduce((sum, { event }) => replyAfter(sum, event), reply);
    if (!isEnded(turn)) {
      for await (const { event } of watch(owner, turn, { signal, fresh, onlyEnd: true }))
        reply = replyAfter(reply, event);
      if (isEnded(reply.turn)) return reply;
    }
    return replyOf(await getRecord(owner, idsOf(turn)));
  }

  async function outcome(
    owner: Principal,
    started: FollowedTurn,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<TurnReply> {
    const { timeoutMs: limitMs } = started.turn.request;
    const limit = limitMs === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
    const reply = await follow(owner, started, limit);
    if (isEnded(reply.turn) || signal.aborted || limitMs === undefined) return reply;

    await cancelTurn(db, engine, owner, idsOf(started.turn), 'turn_timeout');
    const patience = AbortSignal.any([signal, AbortSignal.timeout(CANCEL_MS)]);
    return follow(owner, { turn: reply.turn, fresh: false }, patience);
  }

  /** Cancels a turn unless it has ended, and waits for its end for a while. */
  async function end(owner: Principal, ids: TurnIds): Promise<void> {
    if (isEnded((await getRecord(owner, ids)).turn)) return;
    const patience = AbortSignal.timeout(CANCEL_MS);
    await cancelTurn(db, engine, owner, ids, 'cancelled');
    const { turn } = await getRecord(owner, ids);
    await follow(owner, { turn, fresh: false }, patience);
  }

  return { getRecord, watch, outcome, end };
}

export const noResponse = () => new NotFound('This response does not exist.');

const idsOf = ({ threadId, id }: Turn): TurnIds => ({ threadId, turnId: id });
