import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { PreparingClient } from '#database/preparing-client.ts';
import type { Hosted, HostSetup } from '../hosted.ts';

/**
 * The durable writes of a turn and nothing else: five statements, each with its own commit, on tables with the columns and
 * indexes of ours. It has no takeover, no gates and no order.
 */
export async function createEngine({ connection, body }: HostSetup): Promise<Hosted> {
  const pool = new pg.Pool({ ...connection, max: 20, Client: PreparingClient });
  await pool.query(`
    create schema if not exists bare;
    create table if not exists bare.threads (like public.threads including all);
    create table if not exists bare.turns (like public.turns including all);
    create table if not exists bare.items (like public.items including all)`);
  const request = JSON.stringify({ model: 'm', temperature: null, tools: [], echo: {} });
  const bodyOf = (text: string) =>
    JSON.stringify({ type: 'message', role: 'assistant', content: [{ type: 'text', text }] });
  const none = () => Promise.reject(new Error('Bare SQL has nothing of the kind.'));

  async function run({ id, thread }: { id: string; thread: string }): Promise<void> {
    await pool.query(
      `with t as (insert into bare.threads (id, user_id, last_seq, active) values ($1, 'u', 1, $2)),
        u as (insert into bare.turns (id, thread_id, user_id, seq, channel, request, status, attempt, started_at)
          values ($2, $1, 'u', 1, 'gateway', $3, 'running', 0, now()))
       insert into bare.items (thread_id, turn_seq, position, id, turn_id, user_id, body) values ($1, 1, 0, $4, $2, 'u', $5)`,
      [thread, id, request, randomUUID(), bodyOf('hello')],
    );
    await body(
      { id, thread },
      {
        wait: none,
        write: async (n, make) => {
          const made = await make();
          await pool.query(
            `with f as (select 1 from bare.turns where id = $2 and attempt = 0 and status = 'running' for no key update)
             insert into bare.items (thread_id, turn_seq, position, id, turn_id, user_id, attempt, body)
             select $1, 1, $3, $4, $2, 'u', 0, $5 from f`,
            [thread, id, n + 1, randomUUID(), bodyOf(made.text)],
          );
          return made;
        },
      },
    );
    await pool.query(
      `with u as (update bare.turns set status = 'completed', ended_at = now() where id = $2 and attempt = 0)
       update bare.threads set active = null where id = $1`,
      [thread, id],
    );
  }

  return { run, accept: none, answer: none, countWaiting: none, findWriters: none, stop: () => pool.end() };
}
