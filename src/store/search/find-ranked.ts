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
 * Rare words weigh more than common ones. The rarest choose the texts, which are then compared by all words: so a common word
 * costs little, however many texts have it.
 */
const byWords = ({ table, key, words, text, place, isGiven, join, order }: SearchSource) => `
  with counted as materialized (
    select lexeme, (
      select count(*) from (select from ${words} where user_id = $1 and word = lexeme and ${isGiven} limit 1000) as using_it
    ) as texts
    from note_lexemes($2) as lexeme limit 64
  ),
  weighed as materialized (
    select lexeme, ln(1 + (
      select count(*) from (select from ${table} where user_id = $1 limit 5000) as known
    ) / texts::float8) as weight, sum(texts) over (order by texts, lexeme) - texts as rarer
    from counted where texts > 0
  ),
  chosen as materialized (
    select ${text} from weighed cross join lateral (
      select ${text} from ${words} where user_id = $1 and word = lexeme and ${isGiven} limit 5000
    ) as using_it
    where rarer < 3000
    group by ${text} order by sum(weight) desc, ${text} desc limit 1000
  ),
  best as materialized (
    select ${text}, place, sum(weight) as weight from weighed cross join lateral (
      select ${text}, ${place} as place from ${words}
      where user_id = $1 and word = lexeme
        and ${text} = any ((select array_agg(${text} order by ${text}) from chosen)::bigint[])
    ) as using_it
    group by ${text}, place order by weight desc, ${text} desc, place limit greatest(200, 4 * $3::integer)
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
