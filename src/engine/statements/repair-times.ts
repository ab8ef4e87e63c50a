import type { EnginePool } from '../engine-connection.ts';

/**
 * After the database's clock was set back, due times and leases that were stored before are in the future. Those that are never set
 * so far ahead become due now. The waits between retries of a delivery may be long, and stay as they are.
 */
export async function repairTimes(pool: EnginePool): Promise<void> {
  for (const statement of [TURNS, REPLICAS, MISSIONS, TITLES, CHATS, DELIVERIES]) await pool.query(statement);
}

// `infinity`: the user moves to another cell.
const TURNS = `
  update turns set ready_at = now() where ready_at > now() + interval '1 minute' and ready_at < 'infinity'`;

// A living replica renews its lease in a moment; for a dead one the time until it is declared dead begins here.
const REPLICAS = `update replicas as ahead set seen_at = now() where seen_at > now() + interval '1 minute'`;

const MISSIONS = `update missions set starting_until = null where starting_until > now() + interval '1 minute'`;

const TITLES = `update title_requests set due_at = now() where due_at > now() + interval '10 minutes'`;

const CHATS = `update chat_inbox set due_at = now() where state = 'new' and due_at > now() + interval '10 minutes'`;

// Deliveries that were not tried yet, or whose lease has a replica that may be dead.
const DELIVERIES = `
  with ahead as (
    select target from delivery_targets where due_at > now() + interval '1 minute' and due_at < 'infinity'
  ), freed as (
    update deliveries set due_at = now() from ahead
    where deliveries.target = ahead.target and deliveries.due_at > now() + interval '1 minute'
      and (deliveries.state = 'sending' or deliveries.state = 'pending' and deliveries.attempts = 0)
    returning deliveries.target
  )
  update delivery_targets set due_at = now() where target in (select target from freed)`;
