import { sql } from 'kysely';
import type { ThreadId } from '#domain/ids.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';

/** Asks for a title of the thread, unless its owner wants none. */
export async function requestTitle(trx: OwnedTransaction, owner: Owner, threadId: ThreadId): Promise<void> {
  await sql`
    insert into title_requests (thread_id, user_id)
    select id, user_id from threads where id = ${threadId} and user_id = ${owner.userId} and not temporary
      and not exists (select from preferences where preferences.user_id = ${owner.userId} and not generate_titles)
    on conflict do nothing`.execute(trx);
}

/** Whether the thread still needs a title: a person may have given one since. */
export async function needsTitle(trx: OwnedTransaction, owner: Owner, threadId: ThreadId): Promise<boolean> {
  const found = await trx
    .selectFrom('threads')
    .select('id')
    .where('id', '=', threadId)
    .where('userId', '=', owner.userId)
    .where('title', 'is', null)
    .where('generatedTitle', 'is', null)
    .executeTakeFirst();
  return found !== undefined;
}

export async function deleteTitleRequest(trx: OwnedTransaction, owner: Owner, threadId: ThreadId): Promise<void> {
  await trx.deleteFrom('titleRequests').where('threadId', '=', threadId).where('userId', '=', owner.userId).execute();
}
