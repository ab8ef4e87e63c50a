import type { UserId } from '#domain/principal.ts';
import { listSessions } from '#store/accounts/sessions.ts';
import { listTokens } from '#store/accounts/tokens.ts';
import { findUserOrRemoved } from '#store/accounts/users.ts';
import { readAuditOf } from '#store/audit.ts';
import type { IdentityDatabase } from '#store/identity-connection.ts';

export type AccountRow = { readonly table: 'users' | 'tokens' | 'sessions' | 'audit'; readonly row: object };

/** The account of a user, without secrets, and the entries of the audit log by them and about them. */
export async function* readAccount(db: IdentityDatabase, userId: UserId): AsyncGenerator<AccountRow> {
  const user = await findUserOrRemoved(db, userId);
  if (user) yield { table: 'users', row: user };
  for (const row of await listTokens(db, userId)) yield { table: 'tokens', row };
  for (const row of await listSessions(db, userId)) yield { table: 'sessions', row };
  for await (const row of readAuditOf(db, userId)) yield { table: 'audit', row };
}
