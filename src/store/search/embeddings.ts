import { type OwnedTransaction, type Owner, runStatement } from '../connection.ts';
import type { SearchSource } from './search-source.ts';
import { toSignature } from './signature.ts';

/** A note or a passage without a vector of the current model. */
export type WaitingText = {
  readonly key: string;
  readonly title: string;
  readonly text: string;
  readonly attempts: number;
};

/**
 * Takes texts that have no vector of `model`, and leases each for as long as embedding may take. Without a reported
 * result a text becomes due again.
 */
export function takeWaitingTexts(
  trx: OwnedTransaction,
  owner: Owner,
  source: SearchSource,
  { model, count, leaseSeconds }: { model: string; count: number; leaseSeconds: number },
): Promise<WaitingText[]> {
  return runStatement<WaitingText>(trx, take(source), [owner.userId, model, count, leaseSeconds]);
}

/** Materialized: an inline subquery may run once per row and then take more rows than the limit. */
const take = ({ table, key, title }: SearchSource) => `
  with due as materialized (
    select number as taken from ${table}
    where user_id = $1 and (embedding_model < $2 or embedding_model > $2) and embed_due_at <= now()
    limit $3 for update skip locked
  )
  update ${table} set embed_due_at = now() + make_interval(secs => $4), embed_attempts = embed_attempts + 1
  from due where user_id = $1 and number = taken
  returning ${key} as key, ${title} as title, text, embed_attempts as attempts`;

export type EmbeddedText = Pick<WaitingText, 'key' | 'text'> & { readonly vector: readonly number[] };

/**
 * Applies only to the text that was embedded: one written in the meantime waits for a new vector. So does one that is locked: a
 * transaction that changes or deletes several texts locks them in another order, and must not be waited for.
 */
export async function recordEmbeddings(
  trx: OwnedTransaction,
  owner: Owner,
  source: SearchSource,
  model: string,
  texts: readonly EmbeddedText[],
): Promise<void> {
  await runStatement(trx, record(source), [
    owner.userId,
    model,
    texts.map(({ key }) => key),
    texts.map(({ text }) => text),
    texts.map(({ vector }) => `{${vector.join()}}`),
    texts.map(({ vector }) => toSignature(vector)),
  ]);
}

const record = ({ table, key }: SearchSource) => `
  with held as materialized (
    select number as taken, made.vector, made.signature
    from unnest($3::text[], $4::text[], $5::text[], $6::text[]) as made (wanted, read, vector, signature)
    join ${table} on user_id = $1 and ${columnOf(key)} = made.wanted${typeOf(key)} and text = made.read
    for no key update of ${table} skip locked
  )
  update ${table} set embedding_model = $2, embedding = held.vector::real[], signature = held.signature::bit varying,
    embed_attempts = 0, embed_due_at = now()
  from held where user_id = $1 and number = held.taken`;

/** Retries the texts later. */
export async function postponeEmbedding(
  trx: OwnedTransaction,
  owner: Owner,
  source: SearchSource,
  keys: readonly string[],
  waitSeconds: number,
): Promise<void> {
  await runStatement(
    trx,
    `with held as materialized (
       select number as taken from ${source.table}
       where user_id = $1 and ${columnOf(source.key)} = any ($2::text[]${typeOf(source.key) && '::bigint[]'})
       for no key update skip locked
     )
     update ${source.table} set embed_due_at = now() + make_interval(secs => $3)
     from held where user_id = $1 and number = held.taken`,
    [owner.userId, keys, waitSeconds],
  );
}

/** A key that is a number is compared as one, so that its index is used. */
const columnOf = (key: string): string => key.replace('::text', '');
const typeOf = (key: string): string => (key.endsWith('::text') ? '::bigint' : '');
