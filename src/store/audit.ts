import type { UserId } from '#domain/principal.ts';
import type { Database, OwnedTransaction } from './connection.ts';
import type { IdentityDatabase, IdentityTransaction } from './identity-connection.ts';

/** Something that was done to the installation, or to what guards it. */
export type AuditEntry = {
  readonly actor: UserId;
  /** What was done, such as `token.create`. */
  readonly action: string;
  /** To whom or what. */
  readonly subject: string | null;
  /** Never a secret. */
  readonly detail: Readonly<Record<string, unknown>>;
};

export type AuditRecord = AuditEntry & { readonly id: string; readonly at: Date };

/** A transaction that may change rights. Only `audited` hands one out. */
export type Audited<Trx extends AuditableTransaction> = Trx & { readonly [isAudited]: true };
type AuditableTransaction = OwnedTransaction | IdentityTransaction;
declare const isAudited: unique symbol;

/**
 * Changes rights and records it in the same transaction, so that there is never one without the other. The store's
 * functions that decide what somebody may do take nothing but an `Audited` transaction.
 */
export async function audited<Trx extends AuditableTransaction, T>(
  trx: Trx,
  change: (trx: Audited<Trx>) => Promise<T>,
  entry: AuditEntry | ((result: T) => AuditEntry | 'no right changed'),
): Promise<T> {
  const result = await change(trx as Audited<Trx>);
  const made = typeof entry === 'function' ? entry(result) : entry;
  if (made !== 'no right changed') await recordAudit(trx, made);
  return result;
}

/** For what changes no right, such as the use of a secret. A change of rights goes through `audited`. */
export async function recordAudit(db: Pick<Database, 'insertInto'>, entry: AuditEntry): Promise<void> {
  await db
    .insertInto('audit')
    .values({ ...entry, detail: JSON.stringify(entry.detail) })
    .execute();
}

/** The newest first; `before` is the last one already seen. */
export function readAudit(
  db: IdentityDatabase,
  { before, limit }: { readonly before: string | undefined; readonly limit: number },
): Promise<AuditRecord[]> {
  return db
    .selectFrom('audit')
    .selectAll()
    .$if(before !== undefined, (query) => query.where('id', '<', before ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}
