import { NotFound } from '#domain/errors.ts';
import type { Gate } from '#domain/gate.ts';
import type { ThreadId, TurnId } from '#domain/ids.ts';
import type { Item } from '#domain/item.ts';
import type { Principal } from '#domain/principal.ts';
import { isEnded, type Turn } from '#domain/turn.ts';
import type { Engine } from '#engine/engine.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { findGateOfTurn } from '#store/gates.ts';
import { listTurnItems } from '#store/items.ts';
import { findTurn } from '#store/turns.ts';
import { startTurn, type TurnInput } from './start-turn.ts';
import type { TurnEnds } from './turn-ends.ts';

/** A turn and everything that was said in it. */
export type TurnRecord = { readonly turn: Turn; readonly items: readonly Item[]; readonly gate: Gate | undefined };

export type Agent = {
  startTurn(owner: Principal, input: TurnInput): Promise<Turn>;
  /** Throws `NotFound` for what does not exist and for what is somebody else's alike. */
  getTurn(owner: Principal, threadId: ThreadId, id: TurnId): Promise<TurnRecord>;
  /** Resolves when the turn has ended, wherever it runs. */
  outcome(owner: Principal, turn: Turn): Promise<TurnRecord>;
};

/** The facade that every channel talks to. */
export function createAgent(db: Database, engine: Engine, ends: TurnEnds): Agent {
  async function getTurn(owner: Principal, threadId: ThreadId, id: TurnId): Promise<TurnRecord> {
    return withOwner(db, owner, async (trx) => {
      const turn = await findTurn(trx, owner, threadId, id);
      if (!turn) throw new NotFound('There is no such response.');
      const items = await listTurnItems(trx, owner, turn);
      const gate = turn.status === 'waiting' ? await findGateOfTurn(trx, owner, threadId, id) : undefined;
      return { turn, items, gate };
    });
  }

  return {
    startTurn: (owner, input) => startTurn(db, engine, owner, input),
    getTurn,
    async outcome(owner, turn) {
      for (;;) {
        const record = await getTurn(owner, turn.threadId, turn.id);
        if (isEnded(record.turn)) return record;
        await ends.next(turn.id);
      }
    },
  };
}
