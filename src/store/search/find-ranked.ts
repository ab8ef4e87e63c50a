import { type OwnedTransaction, type Owner, runStatement } from '../connection.ts';
import { findByIndex } from '../notes/note-index.ts';
import type { SearchSource } from './search-source.ts';
import { toSignature } from './signature.ts';

export type Ranking = {
  readonly limit: number;
  /** The numbers of the documents to search; all when left out. */
  readonly documents?: readonly string[] | undefined;
};

/** The keys of the rows that share words with the question, best match first. */
export async function findByWords(
  trx: OwnedTransaction,
  owner: Owner,
  source: SearchSource,
  question: string,
  { limit, documents }: Ranking,
): Promise<string[]> {
  const values = [owner.userId, question, limit, documents ?? null];
  const rows = await runStatement<{ key: string }>(trx, byWords(source), values);
  return rows.map(({ key }) => key);
}

/**
 * The keys of the rows whose meaning is nearest to a vector of the same model, nearest first. Uses an index if there is
 * one, and otherwise scans all rows.
 */
export async function findByMeaning(
  trx: OwnedTransaction,
  owner: Owner,
  source: SearchSource,
  { model, vector }: { model: string; vector: readonly number[] },
  { limit, documents }: Ranking,
): Promise<string[]> {
  const index = { userId: owner.userId, model, dimensions: vector.length };
  const indexed = source.isIndexed ? await findByIndex(trx, index, vector, limit) : undefined;
  if (indexed) return indexed;

  const values = [owner.userId, model, vector, toSignature(vector), limit, documents ?? null];
  const rows = await runStatement<{ key: string }>(trx, byMeaning(source), values);
  return rows.map(({ key }) => key);
}

/**
 * Rare words weigh more than common ones. English stop words are left out, and for a very common word only a limited number of
 * rows is examined.
 */
const byWords = ({ table, key, ids, hits, join, order }: SearchSource) => `
  with words as (
    select lexeme from note_lexemes($2) as lexeme
    where ts_lexize('pg_catalog.english_stem', lexeme) is distinct from '{}'
    limit 64
  ),
  hits as materialized (
    select lexeme, ${ids} from words cross join lateral (${hits} limit 5000) as using_it
  ),
  weights as (
    select lexeme, ln(1 + (
      select count(*) from (select from ${table} where user_id = $1 limit 5000) as counted
    ) / count(*)::float8) as weight
    from hits group by lexeme
  ),
  best as materialized (
    select ${ids}, sum(weight) as weight from hits join weights using (lexeme)
    group by ${ids} order by weight desc, ${ids} desc limit greatest(200, 4 * $3::integer)
  )
  select ${key} as key from best join ${table} on ${table}.user_id = $1 and ${join}
  order by ${order}
  limit $3`;

/** Comparing bits is cheap, so only the nearest few by their bits are compared exactly. */
const byMeaning = ({ table, key, scope }: SearchSource) => `
  select key from (
    select ${key} as key, embedding from ${table}
    where user_id = $1 and embedding_model = $2 and length(signature) = length($4::bit varying) and ${scope}
    order by bit_count(signature # $4::bit varying)
    limit greatest(200, 4 * $5::integer)
  ) as near
  order by (select sum(mine * theirs) from unnest(embedding, $3::real[]) as pair (mine, theirs)) desc, key
  limit $5`;
