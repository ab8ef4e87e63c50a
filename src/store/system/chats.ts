import type { ChatLink, NewUpdate } from '#domain/chat/chat.ts';
import type { ChatChannel } from '#domain/chat/chat-channel.ts';
import type { ChatAccountId, ReplicaId, TurnId, UpdateId } from '#domain/ids.ts';
import type { QuietHours } from '#domain/notification/endpoint.ts';
import type { UserId } from '#domain/principal.ts';
import type { SystemConnection } from './system-connection.ts';

/** An account that this replica polls now. */
export type PollLease = {
  readonly id: ChatAccountId;
  readonly channel: ChatChannel;
  readonly cursor: string | null;
};

/** Leases the accounts that no living replica polls; with `id`, renews the lease of one account. */
export async function leaseAccounts(
  system: SystemConnection,
  self: ReplicaId,
  seconds: number,
  id: ChatAccountId | null = null,
): Promise<PollLease[]> {
  const { rows } = await system.query<PollLease>(
    `update chat_accounts set poller = $1, leased_until = now() + make_interval(secs => $2)
     where mode = 'polling' and case when $3::uuid is not null then id = $3 and poller = $1
       else leased_until is null or leased_until < now() or not exists (select from replicas where replicas.id = poller) end
     returning id, channel, cursor`,
    [self, seconds, id],
  );
  return rows;
}

/** Gives up the leases of a replica that stops. */
export async function releaseAccounts(system: SystemConnection, self: ReplicaId): Promise<void> {
  await system.query('update chat_accounts set poller = null, leased_until = null where poller = $1', [self]);
}

export async function recordTrouble(system: SystemConnection, id: ChatAccountId, error: string): Promise<void> {
  await system.query('update chat_accounts set last_error = $2, failed_at = now() where id = $1', [id, error]);
}

/**
 * Stores updates and moves the cursor behind them, in one statement. Known ones are left alone. `poller`: only while this replica
 * holds the lease. Returns whether it was stored; then it may be acknowledged.
 */
export async function storeUpdates(
  system: SystemConnection,
  accountId: ChatAccountId,
  updates: readonly (NewUpdate & { readonly id: UpdateId })[],
  { cursor, poller }: { readonly cursor: string | null; readonly poller: ReplicaId | null },
): Promise<boolean> {
  const { rows } = await system.query<{ isHeld: boolean }>(
    `with held as (
       update chat_accounts set cursor = coalesce($2, cursor), received_at = now(), last_error = null, failed_at = null
       where id = $1 and ($3::uuid is null or poller = $3) returning id
     ), stored as (
       insert into chat_inbox (id, account_id, remote_id, lane, position, sender, body)
       select u.id, held.id, u.remote_id, u.lane, u.position, u.sender, u.body::json from held,
         unnest($4::uuid[], $5::text[], $6::text[], $7::bigint[], $8::text[], $9::text[]) as u (id, remote_id, lane, position, sender, body)
       on conflict (account_id, remote_id) do nothing
     )
     select exists (select from held) as "isHeld"`,
    [
      accountId,
      cursor,
      poller,
      updates.map(({ id }) => id),
      updates.map(({ remoteId }) => remoteId),
      updates.map(({ lane }) => lane),
      updates.map(({ position }) => position),
      updates.map(({ sender }) => sender),
      updates.map(({ body }) => JSON.stringify(body)),
    ],
  );
  return rows[0]?.isHeld ?? false;
}

/** An update that is to be handled. `userId`: the user that its sender is linked to. */
export type StoredUpdate = {
  readonly id: UpdateId;
  readonly accountId: ChatAccountId;
  readonly remoteId: string;
  readonly sender: string | null;
  readonly userId: UserId | null;
  readonly body: unknown;
  readonly tries: number;
};

export async function takeUpdates(
  system: SystemConnection,
  self: ReplicaId,
  room: number,
  seconds: number,
): Promise<StoredUpdate[]> {
  const { rows } = await system.query<StoredUpdate>(
    `select id, account_id as "accountId", remote_id as "remoteId", sender, user_id as "userId", body, tries
     from take_updates($1, make_interval(secs => $2), $3)`,
    [room, seconds, self],
  );
  return rows;
}

export type UpdateEnd =
  /** `refusal`: why it led to nothing. */
  | { readonly state: 'done'; readonly turnId?: TurnId | undefined; readonly refusal?: string }
  /** Handled again later. The later updates of its lane wait. */
  | { readonly state: 'new'; readonly waitSeconds: number; readonly error: string }
  | { readonly state: 'failed'; readonly error: string };

/** Ends an attempt to handle an update. Nothing happens when another attempt has started. */
export async function endUpdate(
  system: SystemConnection,
  { id, tries }: Pick<StoredUpdate, 'id' | 'tries'>,
  end: UpdateEnd,
): Promise<void> {
  await system.query(
    `update chat_inbox set state = $3, turn_id = $4, error = $5, due_at = clock_timestamp() + make_interval(secs => $6), handler = null,
       ended_at = case when $3 <> 'new' then clock_timestamp() end, body = case when $3 <> 'done' then body end
     where id = $1 and tries = $2 and state = 'new'`,
    [
      id,
      tries,
      end.state,
      end.state === 'done' ? (end.turnId ?? null) : null,
      end.state === 'done' ? (end.refusal ?? null) : end.error,
      end.state === 'new' ? end.waitSeconds : 0,
    ],
  );
}

/** The user whose code this is. */
export async function findCodeOwner(system: SystemConnection, hash: Buffer): Promise<UserId | undefined> {
  const { rows } = await system.query<{ userId: UserId }>(
    'select user_id as "userId" from chat_codes where hash = $1 and expires_at > now()',
    [hash],
  );
  return rows[0]?.userId;
}

/** The user that a sender is linked to. */
export async function findLinkedUser(
  system: SystemConnection,
  accountId: ChatAccountId,
  sender: string,
): Promise<UserId | undefined> {
  const { rows } = await system.query<{ userId: UserId }>(
    'select user_id as "userId" from chat_links where account_id = $1 and sender = $2',
    [accountId, sender],
  );
  return rows[0]?.userId;
}

/** Where these users are reached alone, and their quiet hours. */
export type NoticeChat = Pick<ChatLink, 'accountId' | 'chat' | 'userId'> & { readonly quiet: QuietHours | null };

export async function findNoticeChats(system: SystemConnection, users: readonly UserId[]): Promise<NoticeChat[]> {
  const { rows } = await system.query<NoticeChat>(
    `select account_id as "accountId", chat, links.user_id as "userId", quiet from chat_links as links
     left join notification_preferences as preferences on preferences.user_id = links.user_id where links.user_id = any($1)`,
    [users],
  );
  return rows;
}

/** How many updates wait, how many could not be handled, and how many were refused, by account. */
export type InboxCounts = {
  readonly accountId: ChatAccountId;
  readonly waiting: number;
  readonly failed: number;
  readonly refused: number;
};

export async function countUpdates(system: SystemConnection): Promise<InboxCounts[]> {
  const { rows } = await system.query<InboxCounts>(
    `select account_id as "accountId", count(*) filter (where state = 'new')::integer as waiting,
       count(*) filter (where state = 'failed')::integer as failed, count(*) filter (where state = 'done')::integer as refused
     from chat_inbox where state <> 'done' or error is not null group by account_id`,
  );
  return rows;
}

/** Platforms repeat an update for a day at most, so its id is kept for longer than that. */
export async function pruneChats(system: SystemConnection): Promise<void> {
  await system.query(`delete from chat_inbox where ended_at < now() - interval '8 days'`);
  await system.query(`delete from chat_messages where created_at < now() - interval '30 days'`);
  await system.query('delete from chat_codes where expires_at < now()');
}
