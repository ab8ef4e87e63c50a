import { type RawBuilder, sql } from 'kysely';
import type { ProjectId, ThreadId } from '#domain/ids.ts';
import { searchWordsOf } from '#domain/text/search-words.ts';
import type { ThreadChange, ThreadListing } from '#domain/thread/thread.ts';
import type { Channel, TurnRequest } from '#domain/thread/turn.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';
import { hasGateBelow } from '../delegations/tree.ts';
import { threadsThatSay } from './item-texts.ts';

/** The end of a page of threads: all sort keys, exactly as the database has them. */
export type ThreadCursor = { readonly pinned: boolean; readonly microseconds: string; readonly id: ThreadId };

export type ThreadFilter = {
  readonly search: string | undefined;
  readonly archived: boolean;
  /** Only threads that began on one of these channels. */
  readonly channels: readonly Channel[] | undefined;
  /** Only threads of this project, or of none. */
  readonly project: ProjectId | 'none' | undefined;
  readonly after: ThreadCursor | undefined;
  readonly limit: number;
};

export type ListedThread = ThreadListing & { readonly cursor: ThreadCursor };

/** The owner's threads: pinned first, then newest. */
export async function listThreads(trx: OwnedTransaction, owner: Owner, filter: ThreadFilter): Promise<ListedThread[]> {
  const { search, archived, channels, project, after, limit } = filter;
  const conditions = [
    sql`user_id = ${owner.userId} and archived = ${archived} and parent is null`,
    ...(project ? [project === 'none' ? sql`folder_id is null` : sql`folder_id = ${project}`] : []),
    ...(search ? [sql`not temporary`, contains(owner, search)] : []),
    ...(channels
      ? [
          sql`coalesce((select channel from turns where turns.thread_id = threads.id order by seq limit 1), 'responses')
            = any (${channels}::text[])`,
        ]
      : []),
    ...(after
      ? [
          sql`(pinned, updated_at, id) < (${after.pinned},
            timestamptz 'epoch' + ${after.microseconds}::bigint * interval '1 microsecond', ${after.id}::uuid)`,
        ]
      : []),
  ];
  const { rows } = await summarise(sql`
    select * from threads where ${sql.join(conditions, sql` and `)}
    order by pinned desc, updated_at desc, id desc limit ${limit}`).execute(trx);
  return rows.map(toListed);
}

/** All words are in the titles, the first message and the newest one, or in one message. */
function contains(owner: Owner, search: string): RawBuilder<unknown> {
  const inTitles = search
    .split(/\s+/)
    .map(
      (word) => sql`position(lower(${word}) in lower(concat_ws(' ', title, generated_title, opening, preview))) > 0`,
    );
  const words = searchWordsOf(search);
  const inMessages = words.length > 0 ? sql`id in (${threadsThatSay(owner, words)})` : sql`false`;
  return sql`(${sql.join(inTitles, sql` and `)} or ${inMessages})`;
}

export async function countThreads(trx: OwnedTransaction, owner: Owner): Promise<number> {
  const { threads } = await trx
    .selectFrom('threads')
    .select(({ fn }) => fn.countAll<string>().as('threads'))
    .where('userId', '=', owner.userId)
    .where('parent', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(threads);
}

export async function findThread(trx: OwnedTransaction, owner: Owner, id: ThreadId): Promise<ListedThread | undefined> {
  const { rows } = await summarise(sql`select * from threads where id = ${id} and user_id = ${owner.userId}`).execute(
    trx,
  );
  return rows[0] && toListed(rows[0]);
}

/** Returns whether there was one. */
export async function changeThread(
  trx: OwnedTransaction,
  owner: Owner,
  id: ThreadId,
  { projectId, read, ...change }: ThreadChange,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('threads')
    .set({
      ...change,
      ...(projectId !== undefined && { folderId: projectId }),
      ...(read && {
        readAt: sql<Date>`greatest(now(), (select max(ended_at) from turns where turns.thread_id = threads.id))`,
      }),
    })
    .where('id', '=', id)
    .where('userId', '=', owner.userId)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

type ListingRow = Omit<ThreadListing, 'usage' | 'model' | 'assistant' | 'unread'> & {
  readonly readAt: Date;
  /** Of its newest turn that has ended. */
  readonly endedAt: Date | null;
  readonly request: TurnRequest | null;
  readonly microseconds: string;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  readonly inputUsd: number;
  readonly outputUsd: number;
  readonly unpriced: boolean;
};

/** Spending is added up for the selected threads only, hence the inner select. */
function summarise(threads: RawBuilder<unknown>): RawBuilder<ListingRow> {
  return sql<ListingRow>`
    select thread.id, title, generated_title, opening, preview, pinned, archived, network, temporary, parent as parent_id, folder_id as project_id, line, created_at, updated_at,
      case when exists (select from turns where turns.id = thread.active and turns.tree is not null)
          and ${hasGateBelow(sql`thread.id`)} then 'waiting'
        when active is not null then 'running'
        when exists (select from gates where gates.thread_id = thread.id and answered_at is null) then 'waiting'
        else 'idle' end as status,
      exists (select from turns where turns.id = thread.active and ready_at < 'infinity') as waits_for_place,
      (extract(epoch from updated_at) * 1000000)::bigint::text as microseconds,
      coalesce((select channel from turns where turns.thread_id = thread.id order by seq limit 1), 'responses') as channel,
      (select request from turns where turns.thread_id = thread.id order by seq desc limit 1) as request, read_at,
      compact_asked_at is not null as compact_asked, spent.*
    from (${threads}) as thread, lateral (
      select coalesce(sum((usage ->> 'inputTokens')::float8), 0) as input_tokens,
        coalesce(sum((usage ->> 'cachedInputTokens')::float8), 0) as cached_input_tokens,
        coalesce(sum((usage ->> 'outputTokens')::float8), 0) as output_tokens,
        coalesce(sum((usage ->> 'reasoningTokens')::float8), 0) as reasoning_tokens,
        coalesce(sum((usage -> 'cost' ->> 'inputUsd')::float8), 0) as input_usd,
        coalesce(sum((usage -> 'cost' ->> 'outputUsd')::float8), 0) as output_usd,
        coalesce(bool_or(usage is not null and usage ->> 'cost' is null), false) as unpriced,
        max(ended_at) as ended_at
      from turns where turns.thread_id = thread.id and turns.user_id = thread.user_id
    ) as spent
    order by pinned desc, updated_at desc, thread.id desc`;
}

function toListed(row: ListingRow): ListedThread {
  const { microseconds, inputUsd, outputUsd, unpriced, request, readAt, endedAt, ...rest } = row;
  const { inputTokens, cachedInputTokens, outputTokens, reasoningTokens, ...thread } = rest;
  const cost = unpriced ? null : { inputUsd, outputUsd };
  const usage = { inputTokens, cachedInputTokens, outputTokens, reasoningTokens, cost };
  const { model = null, assistant } = request ?? {};
  const chosen = { model, assistant: assistant?.name ?? null };
  const unread = row.status === 'idle' && row.channel === 'gateway' && endedAt !== null && endedAt > readAt;
  return { ...thread, ...chosen, unread, usage, cursor: { pinned: row.pinned, microseconds, id: row.id } };
}
