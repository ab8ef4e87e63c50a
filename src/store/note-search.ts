import { type OwnedTransaction, type Owner, runStatement } from './connection.ts';
import { toSignature } from './signature.ts';

/** The paths of notes that share words with the question, the best first. */
export async function findByWords(
  trx: OwnedTransaction,
  owner: Owner,
  question: string,
  limit: number,
): Promise<string[]> {
  const rows = await runStatement<{ path: string }>(trx, BY_WORDS, [owner.userId, question, limit]);
  return rows.map(({ path }) => path);
}

/** The paths of notes whose meaning is nearest to a vector of the same model, the nearest first. */
export async function findByMeaning(
  trx: OwnedTransaction,
  owner: Owner,
  { model, vector }: { model: string; vector: readonly number[] },
  limit: number,
): Promise<string[]> {
  const rows = await runStatement<{ path: string }>(trx, BY_MEANING, [
    owner.userId,
    model,
    vector,
    toSignature(vector),
    limit,
  ]);
  return rows.map(({ path }) => path);
}

/**
 * Rare words tell more than common ones, and a short note is about its words more than a long one is. Words that
 * English has no use for are left out. No index of words is used: none may, below row-level security.
 */
const BY_WORDS = `
  with terms as materialized (
    select number, ('''' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''') || '''')::tsquery as term
    from unnest(tsvector_to_array(to_tsvector('simple', $2) || to_tsvector('english', $2)))
      with ordinality as word (lexeme, number)
    where ts_lexize('english_stem', lexeme) is distinct from '{}'
    limit 64
  ),
  matching as materialized (
    select path, words, length(words) as size from notes
    where user_id = $1 and words @@ (select string_agg(term::text, ' | ')::tsquery from terms)
  ),
  hits as materialized (
    select path, size, number from terms join matching on words @@ term
  ),
  rarity as materialized (
    select number, ln(1 + (select count(*) from notes where user_id = $1) / count(*)::float8) as weight
    from hits group by number
  )
  select path from hits join rarity using (number)
  group by path, size
  order by sum(weight) / (1 + ln(1 + size / 50.0)) desc, path
  limit $3`;

/** Comparing bits is cheap, so only the nearest few by their bits are compared exactly. */
const BY_MEANING = `
  select path from (
    select path, embedding from notes
    where user_id = $1 and embedding_model = $2 and length(signature) = length($4::bit varying)
    order by bit_count(signature # $4::bit varying)
    limit greatest(200, 4 * $5::integer)
  ) as near
  order by (select sum(mine * theirs) from unnest(embedding, $3::real[]) as pair (mine, theirs)) desc, path
  limit $5`;
