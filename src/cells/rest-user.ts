import { setTimeout as sleep } from 'node:timers/promises';
import type { TurnId } from '#domain/ids.ts';
import type { UserId } from '#domain/principal.ts';
import type { MoveClient } from './move-client.ts';

const LOOK_AGAIN_MS = 50;
/** Replicas have noticed the move by then, and have written what they sent to streams. */
const QUIET_MS = 1000;
/** A statement of the service ends after 30 s at the latest. */
const PATIENCE_MS = 45_000;

/**
 * Lets the work of a user who is leaving come to rest: running turns are taken from their replicas, as if those were shut down, and
 * wait without a due time. Resolves when nothing of theirs changes any more: what began before has ended, and what begins later is
 * refused.
 */
export async function restUser(source: MoveClient, subject: UserId): Promise<void> {
  const { rows } = await source.query<{ now: string }>('select clock_timestamp()::text as now');
  const since = rows[0]?.now;
  let last: string | undefined;
  let quietFrom = performance.now();
  for (const end = quietFrom + PATIENCE_MS; ; ) {
    await park(source, subject);
    const { rows: found } = await source.query<State>(LOOK, [subject, since]);
    const state = found[0];
    if (state?.isBusy || state?.written !== last) quietFrom = performance.now();
    last = state?.written;
    const isQuiet = performance.now() - quietFrom > QUIET_MS;
    if (state && !state.isBusy && (isQuiet || !state.isServed)) return;
    if (performance.now() > end) throw new Error('The work of this user did not come to rest. Try again later.');
    await sleep(LOOK_AGAIN_MS);
  }
}

/** Lets rested work continue, in the cell that has it. */
export async function wakeUser(client: MoveClient, subject: UserId): Promise<void> {
  await client.query(`update turns set ready_at = now() where user_id = $1 and ready_at = 'infinity'`, [subject]);
  await client.query(`update delivery_targets set due_at = now() where user_id = $1 and due_at = 'infinity'`, [
    subject,
  ]);
}

/** The signal makes a replica look at its turn, where it finds a newer attempt than its own. */
async function park(source: MoveClient, subject: UserId): Promise<void> {
  const { rows } = await source.query<{ id: TurnId }>(PARK_TURNS, [subject]);
  for (const { id } of rows) await source.query(`select pg_notify('reborn', $1)`, [JSON.stringify({ cancel: id })]);
  await source.query(PARK_TARGETS, [subject]);
}

// `handback`: the attempt was ended on purpose, so the next one does not count as one after a crash.
const PARK_TURNS = `
  update turns set attempt = attempt + (runner is not null)::integer, handback = case when runner is null then handback else attempt + 2 end,
    runner = null, ready_at = 'infinity'
  where user_id = $1 and (runner is not null and status = 'running' or ready_at < 'infinity') returning id`;

const PARK_TARGETS = `update delivery_targets set due_at = 'infinity' where user_id = $1 and due_at < 'infinity'`;

type State = { readonly isBusy: boolean; readonly isServed: boolean; readonly written: string };

// What waits in the outbox is routed by a living replica within a second, and a delivery under way ends.
const LOOK = `
  with served as (select exists (select from replicas where seen_at > now() - interval '15 seconds') as by_replicas)
  select by_replicas as "isServed",
    exists (select from turns where user_id = $1 and (runner is not null and status = 'running' or ready_at < 'infinity'))
    or exists (select from delivery_targets where user_id = $1 and due_at < 'infinity')
    or exists (select from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
        and xact_start <= $2::timestamptz)
    or (by_replicas
      and (exists (select from outbox where user_id = $1)
        or exists (select from deliveries where user_id = $1 and state = 'sending'))) as "isBusy",
    (select coalesce(sum(last), 0) || ' ' || count(*) from turn_events
      where turn_id in (select id from turns where user_id = $1 and ended_at is null)) as written
  from served`;
