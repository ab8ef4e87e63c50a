import { NotFound } from '#domain/errors.ts';
import type { GateId } from '#domain/ids.ts';
import { isOperator, type Principal, type UserId } from '#domain/principal.ts';
import type { Turn } from '#domain/thread/turn.ts';
import type { Engine } from '#engine/engine.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { withScope } from '#store/scope.ts';
import { findGateOwner } from '#store/system/gates.ts';
import { findGate, listOpenGates } from '#store/threads/gates.ts';
import { answerGate, type CountApproval, type GateAnswer } from './answer-gate.ts';
import { type ShownGate, showGate, showGates } from './shown-gate.ts';

/** Open gates: the principal's own, and for an operator everyone's. */
export function createOpenGates(db: Database, engine: Engine, countApproval: CountApproval | undefined) {
  async function getOwner(principal: Principal, id: GateId): Promise<{ userId: UserId }> {
    const userId = isOperator(principal) ? await findGateOwner(engine.system, id) : principal.userId;
    if (userId === undefined) throw new NotFound('This gate does not exist.');
    return { userId };
  }

  return {
    async getGate(principal: Principal, id: GateId): Promise<ShownGate> {
      const owner = await getOwner(principal, id);
      const gate = await withOwner(db, owner, (trx) => findGate(trx, owner, id));
      if (!gate) throw new NotFound('This gate does not exist, or it was answered already.');
      return showGate(db, gate);
    },
    async answerGate(principal: Principal, id: GateId, answer: GateAnswer): Promise<Turn> {
      const owner = await getOwner(principal, id);
      return answerGate(db, engine, owner, id, { answer, by: principal, channel: 'gateway', count: countApproval });
    },
    listGates: async (principal: Principal, page: { before?: GateId; limit: number }): Promise<ShownGate[]> =>
      showGates(db, await withScope(db, principal, (trx, scope) => listOpenGates(trx, scope, page))),
  };
}
