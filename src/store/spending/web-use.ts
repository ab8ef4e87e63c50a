import { sql } from 'kysely';
import type { ThreadId, TurnId } from '#domain/ids.ts';
import type { WebUse } from '#domain/search/web-use.ts';
import { WEB_SEARCH } from '#domain/tool/reserved-names.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';

/** What the turns of a run have searched so far, and what their user did today (UTC). A summary or a restart changes nothing. */
export async function readWebUse(
  trx: OwnedTransaction,
  owner: Owner,
  { threadId, run }: { readonly threadId: ThreadId; readonly run: TurnId },
): Promise<WebUse> {
  const { rows } = await sql<WebUse>`
    select
      (select count(*)::integer from items join turns on turns.id = items.turn_id
        where items.thread_id = ${threadId} and items.user_id = ${owner.userId} and coalesce(turns.run, turns.id) = ${run}
          and items.started_at is not null and body::text like ${`%"name":"${WEB_SEARCH}"%`}) as searches_of_run,
      (select coalesce(sum(calls), 0)::integer from usage_days where user_id = ${owner.userId}
        and day = (now() at time zone 'utc')::date and provider = 'web' and model like 'search %') as searches_today,
      (select coalesce(sum(calls), 0)::integer from usage_days where user_id = ${owner.userId}
        and day = (now() at time zone 'utc')::date and provider = 'web' and model = 'page') as pages_today`.execute(
    trx,
  );
  return rows[0] ?? { searchesOfRun: 0, searchesToday: 0, pagesToday: 0 };
}
