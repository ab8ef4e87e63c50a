import type { Certificate, Erasure } from '#domain/erasure.ts';
import type { UserId } from '#domain/principal.ts';
import type { Audited } from '../audit.ts';
import type { IdentityDatabase, IdentityTransaction } from '../identity-connection.ts';
import type { Page } from './users.ts';

/** Requests the erasure of a user, unless one is pending. The engine does it, also after a crash. */
export async function insertErasure(
  db: Audited<IdentityTransaction>,
  erasure: Pick<Erasure, 'id' | 'subject' | 'requestedBy'>,
): Promise<void> {
  await db
    .insertInto('erasures')
    .values(erasure)
    .onConflict((conflict) => conflict.column('subject').where('completedAt', 'is', null).doNothing())
    .execute();
}

/** By its id, or the newest one of a user. */
export async function findErasure(
  db: IdentityDatabase,
  by: { readonly id: string } | { readonly subject: UserId },
): Promise<Erasure | undefined> {
  const query = db.selectFrom('erasures').select(columns);
  const found = 'id' in by ? query.where('id', '=', by.id) : query.where('subject', '=', by.subject);
  const row = await found.orderBy('id', 'desc').limit(1).executeTakeFirst();
  return row && toErasure(row);
}

/** Newest first. */
export async function listErasures(db: IdentityDatabase, { after, limit }: Page): Promise<Erasure[]> {
  const rows = await db
    .selectFrom('erasures')
    .select(columns)
    .$if(after !== undefined, (query) => query.where('id', '<', after ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(toErasure);
}

const columns = ['id', 'subject', 'requestedBy', 'requestedAt', 'completedAt', 'certificate'] as const;

type Row = Omit<Erasure, 'certificate'> & { readonly certificate: string | null };

const toErasure = ({ certificate, ...row }: Row): Erasure => ({
  ...row,
  certificate: certificate === null ? null : (JSON.parse(certificate) as Certificate),
});
