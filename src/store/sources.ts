import { sql } from 'kysely';
import type { ItemId, ThreadId } from '#domain/ids.ts';
import type { CitedSource } from '#domain/search/citations.ts';
import type { Source } from '#domain/search/source.ts';
import type { OwnedTransaction, Owner } from './connection.ts';

/** The sources of a thread by their numbers, each with all its texts, the oldest first. They are written by `write_items`. */
export function listSources(
  trx: OwnedTransaction,
  owner: Owner,
  threadId: ThreadId,
  numbers?: readonly number[],
): Promise<Source[]> {
  return trx
    .selectFrom('sources')
    .select(['number', 'url', 'title', 'published', 'how', 'text', 'sha256', 'turnId', 'itemId', 'createdAt'])
    .where('threadId', '=', threadId)
    .where('userId', '=', owner.userId)
    .where('sha256', '<>', '')
    .$if(numbers !== undefined, (query) => query.where('number', 'in', [...(numbers ?? []), -1]))
    .orderBy('number')
    .orderBy('createdAt')
    .execute();
}

/** More sources than this are not named to watchers of an answer. */
const MOST_CITABLE = 500;

/** What an answer in a thread can cite, without the texts: each source once, as it was read if it was. */
export async function listCitable(trx: OwnedTransaction, owner: Owner, threadId: ThreadId): Promise<CitedSource[]> {
  const rows = await trx
    .selectFrom('sources')
    .distinctOn('number')
    .select(['number', 'url', 'title', 'published', 'how'])
    .where('threadId', '=', threadId)
    .where('userId', '=', owner.userId)
    .where('sha256', '<>', '')
    .orderBy('number', 'desc')
    .orderBy('how', 'desc')
    .orderBy('createdAt', 'desc')
    .limit(MOST_CITABLE)
    .execute();
  return rows.toReversed();
}

/** Which address has which number in a thread, and the highest number that was ever given. */
export async function readNumbers(
  trx: OwnedTransaction,
  owner: Owner,
  threadId: ThreadId,
): Promise<{ readonly numbers: ReadonlyMap<string, number>; readonly highest: number }> {
  const rows = await trx
    .selectFrom('sources')
    .select(['number', 'url'])
    .distinct()
    .where('threadId', '=', threadId)
    .where('userId', '=', owner.userId)
    .execute();
  return {
    numbers: new Map(rows.map(({ url, number }) => [url, number])),
    highest: Math.max(0, ...rows.map(({ number }) => number)),
  };
}

/** Deletes the sources that these outputs showed. The highest number stays, so that no other page is cited by it later. */
export async function deleteSources(
  trx: OwnedTransaction,
  owner: Owner,
  threadId: ThreadId,
  items: readonly ItemId[],
): Promise<void> {
  await sql`
    with gone as (
      delete from sources where thread_id = ${threadId} and user_id = ${owner.userId} and item_id = any(${items}::uuid[])
      returning number
    )
    insert into sources (thread_id, number, sha256, user_id, url, title, how, text)
    select ${threadId}, max(number), '', ${owner.userId}, '', '', 'found', '' from gone having max(number) is not null
    on conflict do nothing`.execute(trx);
}
