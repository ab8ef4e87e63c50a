import { type Principal, requireOperator } from '#domain/principal.ts';
import { isOperatorNow } from '#store/accounts/users.ts';
import type { IdentityTransaction } from '#store/identity-connection.ts';

/**
 * Also refuses an operator who has lost the role a moment ago: a replica that has not noticed yet still takes them for one,
 * and what they do now could give the role back.
 */
export async function requireStillOperator(trx: IdentityTransaction, actor: Principal): Promise<void> {
  requireOperator(actor);
  if (!(await isOperatorNow(trx, actor.userId))) requireOperator({ ...actor, role: 'member' });
}
