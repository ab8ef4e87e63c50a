import { type Selectable, sql } from 'kysely';
import { newId } from '#domain/ids.ts';
import type { Audited } from '../audit.ts';
import type { Database, OwnedTransaction } from '../connection.ts';
import type { Tables } from '../tables/tables.ts';

/** An installed tool. `capabilities` is the file as its author wrote it. */
export type ToolRow = {
  readonly name: string;
  /** The hash of its component, for finding the code. */
  readonly hash: string;
  readonly witVersion: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** Changes whenever anything about the tool changes. */
  readonly revision: string;
  /** Whether the operator has said that this version only reads. */
  readonly reads: boolean;
  readonly installedAt: Date;
  readonly updatedAt: Date;
};

export type NewTool = Omit<ToolRow, 'revision' | 'installedAt' | 'updatedAt'>;

export async function listTools(db: Database): Promise<ToolRow[]> {
  return (await db.selectFrom('tools').selectAll().orderBy('name').execute()).map(toTool);
}

export async function findTool(db: Database, name: string): Promise<ToolRow | undefined> {
  const row = await db.selectFrom('tools').selectAll().where('name', '=', name).executeTakeFirst();
  return row && toTool(row);
}

/** What the operator said of another version does not apply. */
const toTool = ({ readsRevision, ...row }: Selectable<Tables['tools']>): ToolRow => ({
  ...row,
  reads: readsRevision === row.revision,
});

/** Stores the code before the tool, so that a replica that sees the tool finds its code. Returns false when the name is taken. */
export async function insertTool(
  trx: Audited<OwnedTransaction>,
  { reads, ...tool }: NewTool,
  files: Readonly<Record<string, Uint8Array>>,
  { replace }: { replace: boolean },
): Promise<boolean> {
  for (const [path, content] of Object.entries(files))
    await trx
      .insertInto('componentFiles')
      .values({ hash: tool.hash, path, content: Buffer.from(content) })
      .onConflict((known) => known.columns(['hash', 'path']).doUpdateSet({ content: Buffer.from(content) }))
      .execute();
  const revision = newId();
  const values = {
    ...tool,
    parameters: JSON.stringify(tool.parameters),
    capabilities: JSON.stringify(tool.capabilities),
    revision,
    readsRevision: reads ? revision : null,
  };
  const inserted = await trx
    .insertInto('tools')
    .values(values)
    .onConflict((taken) =>
      replace
        ? taken.column('name').doUpdateSet({ ...values, updatedAt: sql<Date>`now()` })
        : taken.column('name').doNothing(),
    )
    .returning('name')
    .executeTakeFirst();
  await forgetUnusedFiles(trx);
  return inserted !== undefined;
}

/** Returns false when there was none. */
export async function deleteTool(trx: Audited<OwnedTransaction>, name: string): Promise<boolean> {
  const { numDeletedRows } = await trx.deleteFrom('tools').where('name', '=', name).executeTakeFirst();
  await forgetUnusedFiles(trx);
  return numDeletedRows > 0n;
}

export async function readComponentFiles(db: Database, hash: string): Promise<Record<string, Uint8Array>> {
  const rows = await db.selectFrom('componentFiles').select(['path', 'content']).where('hash', '=', hash).execute();
  if (rows.length === 0) throw new Error(`The code of the component ${hash} is missing. Install the tool again.`);
  return Object.fromEntries(rows.map(({ path, content }) => [path, content]));
}

async function forgetUnusedFiles(trx: Audited<OwnedTransaction>): Promise<void> {
  await trx
    .deleteFrom('componentFiles')
    .where('hash', 'not in', (tools) => tools.selectFrom('tools').select('hash'))
    .execute();
}
