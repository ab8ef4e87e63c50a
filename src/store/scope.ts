import { OPERATOR, type Principal, type Scope, scopeOf, type UserId } from '#domain/principal.ts';
import { type Database, type OwnedTransaction, withOwner } from './connection.ts';

/** A transaction that sees what `principal` may see. Queries in it select the rows of the scope that they are given. */
export function withScope<T>(
  db: Database,
  principal: Principal,
  act: (trx: OwnedTransaction, scope: Scope) => Promise<T>,
): Promise<T> {
  const scope = scopeOf(principal);
  return withOwner(db, scope === 'everyone' ? OPERATOR : scope, (trx) => act(trx, scope));
}

/** The user that a query is limited to, or undefined for everyone. */
export const userOf = (scope: Scope): UserId | undefined => (scope === 'everyone' ? undefined : scope.userId);
