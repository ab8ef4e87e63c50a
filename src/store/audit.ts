import type { UserId } from '#domain/principal.ts';
import type { Database } from './connection.ts';
import type { IdentityDatabase } from './identity-connection.ts';

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

/** On any connection: also inside the transaction of what it tells of, so that there is never one without the other. */
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
