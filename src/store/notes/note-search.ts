import { type OwnedTransaction, type Owner, runStatement } from '../connection.ts';
import { findByIndex } from './note-index.ts';
import { toSignature } from './signature.ts';

/** The paths of notes that share words with the question, best match first. */
export async function findByWords(
  trx: OwnedTransaction,
  owner: Owner,
  question: string,
  limit: number,
): Promise<string[]> {
  const rows = await runStatement<{ path: string }>(trx, BY_WORDS, [owner.userId, question, limit]);
  return rows.map(({ path }) => path);
}

/**
 * The paths of notes whose meaning is nearest to a vector of the same model, nearest first. Uses an index if there is
 * one, and otherwise scans all notes.
 */
export async function findByMeaning(
  trx: OwnedTransaction,
  owner: Owner,
  { model, vector }: { model: string; vector: readonly number[] },
  limit: number,
): Promise<string[]> {
  const index = { userId: owner.userId, model, dimensions: vector.length };
  const indexed = await findByIndex(trx, index, vector, limit);
  if (indexed) return indexed;

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
 * Rare words weigh more than common ones, and a match in a short note weighs more than in a long one. English stop words
 * are left out, and for a very common word only a limited number of notes is examined.
 */
const BY_WORDS = `
  with words as (
    select lexeme from note_lexemes($2) as lexeme
    where ts_lexize('pg_catalog.english_stem', lexeme) is distinct from '{}'
    limit 64
  ),
  hits as materialized (
    select lexeme, note from words
    cross join lateral (select note from note_words where user_id = $1 and word = lexeme limit 5000) as using_it
  ),
  weights as (
    select lexeme, ln(1 + (
      select count(*) from (select from notes where user_id = $1 limit 5000) as counted
    ) / count(*)::float8) as weight
    from hits group by lexeme
  ),
  best as materialized (
    select note, sum(weight) as weight from hits join weights using (lexeme)
    group by note order by weight desc, note desc limit greatest(200, 4 * $3::integer)
  )
  select path from best join notes on notes.user_id = $1 and notes.number = best.note
  order by best.weight / (1 + ln(1 + word_count / 50.0::float8)) desc, path
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
