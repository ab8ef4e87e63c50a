import { InvalidRequest, NotFound } from '#domain/errors.ts';
import { newId } from '#domain/ids.ts';
import { isOperator, OPERATOR, type Principal, requireOperator, type UserId } from '#domain/principal.ts';
import type { LimitRequest, SpendingLimits } from '#domain/spending.ts';
import { isWebhookUser } from '#domain/thread/job.ts';
import { audited } from '#store/audit.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { emit } from '#store/notifications/outbox.ts';
import { deleteBudget, listBudgets, putBudget } from '#store/spending/budgets.ts';
import {
  deleteLimitRequest,
  dismissLimitRequest,
  insertLimitRequest,
  listOpenLimitRequests,
} from '#store/spending/limit-requests.ts';

export type LimitsAdmin = ReturnType<typeof createLimitsAdmin>;

/** Spending limits of single users, which replace the default ones. Only operators set them. */
export function createLimitsAdmin(db: Database, isUser: (id: UserId) => Promise<boolean>) {
  return {
    /** Limits by user. Users without an entry have the default limits. */
    async list(actor: Principal, userIds: readonly UserId[]): Promise<ReadonlyMap<UserId, SpendingLimits>> {
      requireOperator(actor);
      const budgets = await withOwner(db, OPERATOR, (trx) => listBudgets(trx, userIds));
      return new Map(budgets.map(({ userId, ...limits }) => [userId, limits]));
    },

    /** Takes effect with the user's next turn. */
    async set(actor: Principal, userId: UserId, limits: SpendingLimits): Promise<void> {
      requireOperator(actor);
      const isSomebody = userId === OPERATOR.userId || isWebhookUser(userId) || (await isUser(userId));
      if (!isSomebody) throw new NotFound('This user does not exist.');
      const { tokensPerDay, usdPerDay } = limits;
      const isNone = tokensPerDay === null && usdPerDay === null;
      await withOwner(db, OPERATOR, async (trx) => {
        const detail = { tokensPerDay, usdPerDay };
        await audited(trx, (writing) => (isNone ? deleteBudget(writing, userId) : putBudget(writing, userId, limits)), {
          actor: actor.userId,
          action: 'user.limit',
          subject: userId,
          detail,
        });
        await deleteLimitRequest(trx, userId);
      });
    },

    /** Asks the operators for more. Of one day (UTC), they hear once. */
    async ask(principal: Principal): Promise<void> {
      if (isOperator(principal))
        throw new InvalidRequest(
          'invalid_request',
          null,
          'Operators set limits themselves: PUT /api/users/{id}/limits.',
        );
      await withOwner(db, principal, async (trx) => {
        const request = await insertLimitRequest(trx, principal);
        if (request) await emit(trx, principal, { type: 'limit.requested', subject: newId() });
      });
    },

    /** Who waits for an answer, oldest first. Changing the limit answers, too. */
    async listRequests(actor: Principal): Promise<LimitRequest[]> {
      requireOperator(actor);
      return withOwner(db, OPERATOR, listOpenLimitRequests);
    },

    /** Leaves the limit as it is. */
    async dismiss(actor: Principal, userId: UserId): Promise<void> {
      requireOperator(actor);
      if (!(await withOwner(db, OPERATOR, (trx) => dismissLimitRequest(trx, userId))))
        throw new NotFound('This user does not ask for a higher limit.');
    },
  };
}
