import type { UserId } from '#domain/principal.ts';
import type { Database, OwnedTransaction } from './connection.ts';
import type { IdentityDatabase, IdentityTransaction } from './identity-connection.ts';

/** A change to the installation or its security. */
export type AuditEntry = {
  readonly actor: UserId;
  /** The action, such as `token.create`. */
  readonly action: string;
  /** The user or object the action affects. */
  readonly subject: string | null;
  /** Must never contain a secret. */
  readonly detail: Readonly<Record<string, unknown>>;
};

export type AuditRecord = AuditEntry & { readonly id: string; readonly at: Date };

/** A transaction that may change permissions. Only `audited` creates one. */
export type Audited<Trx extends AuditableTransaction> = Trx & { readonly [isAudited]: true };
type AuditableTransaction = OwnedTransaction | IdentityTransaction;
declare const isAudited: unique symbol;

/**
 * Changes permissions and records the change in the same transaction, so that neither can happen without the other. The
 * store's functions that change permissions accept only an `Audited` transaction.
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

/** For events that change no permission, such as the use of a secret. Permission changes go through `audited`. */
export async function recordAudit(db: Pick<Database, 'insertInto'>, entry: AuditEntry): Promise<void> {
  await db
    .insertInto('audit')
    .values({ ...entry, detail: JSON.stringify(entry.detail) })
    .execute();
}

/** How many entries one query looks at. */
const WINDOW = 20_000;

/** The entries by this user and about them, oldest first. Without an index for them, the log is read in pieces. */
export async function* readAuditOf(db: IdentityDatabase, userId: UserId): AsyncGenerator<AuditRecord> {
  const last = await db.selectFrom('audit').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst();
  for (let after = 0; after < Number(last?.id ?? 0); after += WINDOW)
    yield* await db
      .selectFrom('audit')
      .selectAll()
      .where('id', '>', String(after))
      .where('id', '<=', String(after + WINDOW))
      .where((row) => row.or([row('actor', '=', userId), row('subject', '=', userId)]))
      .orderBy('id')
      .execute();
}

/** Newest first; `before` is the last entry of the previous page. */
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
