import { createHash } from 'node:crypto';
import pg from 'pg';
import type { UserId } from '#domain/principal.ts';
import { type OwnedTransaction, runStatement } from '../connection.ts';

/**
 * A pgvector index over the vectors of one user and one model. A shared index would return the nearest notes of all
 * users, and miss the notes of a user with few.
 */
export type NoteIndex = { readonly userId: UserId; readonly model: string; readonly dimensions: number };

/** The maximum length of an indexed `halfvec`. */
export const MAX_DIMENSIONS = 4000;
export const INDEX_PREFIX = 'notes_near_';

/** How many notes an index search examines, at least and at most. */
const LEAST_LOOKED_AT = 200;
const MOST_LOOKED_AT = 1000;

/** The same index has the same name in every replica. */
export function nameOf({ userId, model, dimensions }: NoteIndex): string {
  const parts = JSON.stringify([userId, model, dimensions]);
  return INDEX_PREFIX + createHash('sha256').update(parts).digest('hex').slice(0, 32);
}

/** `schema` is the quoted schema of pgvector. */
export function buildStatement(index: NoteIndex, schema: string): string {
  return `
    create index concurrently ${nameOf(index)} on notes
    using hnsw ((${halfVector(index, schema)}) ${schema}.halfvec_ip_ops) where ${conditionOf(index)}`;
}

/** The paths of the nearest notes, nearest first; undefined without an index. */
export async function findByIndex(
  trx: OwnedTransaction,
  index: NoteIndex,
  vector: readonly number[],
  limit: number,
): Promise<string[] | undefined> {
  const candidates = Math.min(MOST_LOOKED_AT, Math.max(LEAST_LOOKED_AT, 4 * limit));
  const [ready] = await runStatement<{ schema: string }>(trx, MAKE_READY, [nameOf(index), candidates]);
  if (!ready) return undefined;

  const values = [`[${vector.join()}]`, candidates, limit];
  const rows = await runStatement<{ path: string }>(trx, nearestStatement(index, ready.schema), values);
  return rows.map(({ path }) => path);
}

/** Whether the index exists and is valid; if so, also sets how many rows this transaction examines in it. */
const MAKE_READY = `
  select extnamespace::regnamespace::text as schema, set_config('hnsw.ef_search', $2, true)
  from pg_extension, pg_index
  where extname = 'vector' and indexrelid = to_regclass($1) and indisvalid`;

/** The index holds rounded numbers, so the rows it finds are ordered by the exact vectors. */
function nearestStatement(index: NoteIndex, schema: string): string {
  const [wanted, apart] = [`$1::${schema}.vector`, `operator(${schema}.<#>)`];
  return `
    select path from (
      select path, embedding from notes where ${conditionOf(index)}
      order by (${halfVector(index, schema)}) ${apart} ${wanted}::${schema}.halfvec(${index.dimensions})
      limit $2
    ) as near
    order by embedding::${schema}.vector ${apart} ${wanted}, path
    limit $3`;
}

const halfVector = ({ dimensions }: NoteIndex, schema: string) => `embedding::${schema}.halfvec(${dimensions})`;

/** Without parameters: the planner uses a partial index only if the query repeats the index's condition literally. */
function conditionOf({ userId, model, dimensions }: NoteIndex): string {
  return `user_id = ${pg.escapeLiteral(userId)} and embedding_model = ${pg.escapeLiteral(model)}
    and length(signature) = ${dimensions}`;
}
