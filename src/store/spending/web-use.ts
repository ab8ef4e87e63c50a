import { sql } from 'kysely';
import type { ThreadId, TurnId } from '#domain/ids.ts';
import { budgetIn, type WebCount, type WebUse } from '#domain/search/web-use.ts';
import { RESEARCH, WEB_FETCH, WEB_SEARCH } from '#domain/tool/reserved-names.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';

/** What the turns of a run have searched and opened so far, and what their user did today (UTC). A summary or a restart changes nothing. */
export async function readWebUse(
  trx: OwnedTransaction,
  owner: Owner,
  { threadId, run }: { readonly threadId: ThreadId; readonly run: TurnId },
): Promise<WebUse> {
  const ofRun = await sql<WebCount>`
    select
      count(*) filter (where isCall and body::text like ${named(WEB_SEARCH)})::integer as searches,
      count(*) filter (where isCall and body::text like ${named(WEB_FETCH)} and strpos(body::text, '\\"url\\"') > 0)::integer as pages,
      case when bool_or(cost = 'null') then null else coalesce(sum(nullif(cost, 'null')::float8), 0) end as usd
    from (select body, items.started_at is not null as isCall, substring(body::text from '"costUsd":([^,}]+)') as cost
      from items join turns on turns.id = items.turn_id
      where items.thread_id = ${threadId} and items.user_id = ${owner.userId} and coalesce(turns.run, turns.id) = ${run}) as made`.execute(
    trx,
  );
  const today = await sql<WebCount>`
    select coalesce(sum(calls) filter (where model like 'search %'), 0)::integer as searches,
      coalesce(sum(calls) filter (where model = 'page'), 0)::integer as pages,
      case when sum(unpriced_calls) > 0 then null else coalesce(sum(cost_usd), 0)::float8 end as usd
    from usage_days where user_id = ${owner.userId} and day = (now() at time zone 'utc')::date and provider = 'web'`.execute(
    trx,
  );
  const research = await sql<{ body: { readonly arguments: string } }>`
    select body from items join turns on turns.id = items.turn_id
    where items.thread_id = ${threadId} and items.user_id = ${owner.userId} and coalesce(turns.run, turns.id) = ${run}
      and items.started_at is not null and body::text like ${named(RESEARCH)}
    order by items.turn_seq desc, items.position desc limit 1`.execute(trx);
  const started = research.rows[0];
  return {
    ofRun: ofRun.rows[0] ?? NOTHING,
    today: today.rows[0] ?? NOTHING,
    research: started ? budgetIn(started.body.arguments) : null,
  };
}

/** As a text, because PostgreSQL can't look inside JSON that has null characters, which pages and tools may return. */
const named = (tool: string): string => `%"name":"${tool}"%`;

const NOTHING: WebCount = { searches: 0, pages: 0, usd: 0 };
