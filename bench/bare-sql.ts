import { randomUUID } from 'node:crypto';
import type pg from 'pg';

/** The durable writes of one turn and nothing else: four statements, each with its own commit. */
export async function prepareBareSql(pool: pg.Pool): Promise<() => Promise<void>> {
  await pool.query(`
    drop schema if exists bare cascade;
    create schema bare;
    create table bare.threads (like public.threads including all);
    create table bare.turns (like public.turns including all);
    create table bare.items (like public.items including all);
    create table bare.jobs (id uuid primary key, state text not null, retry_count integer not null, heartbeat timestamptz);
    create index on bare.jobs (id) where state = 'created'`);
  const request = JSON.stringify({ model: 'm', temperature: null, tools: [], echo: {} });
  const body = JSON.stringify({ type: 'message', role: 'user', content: [{ type: 'text', text: 'hello' }] });
  const usage = JSON.stringify({ inputTokens: 1, outputTokens: 1 });

  return async () => {
    const [thread, turn, input, output] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    await pool.query(
      `with t as (insert into bare.threads (id, user_id, last_seq, active) values ($1, 'u', 1, $2)),
        u as (insert into bare.turns (id, thread_id, user_id, seq, channel, request) values ($2, $1, 'u', 1, 'responses', $3)),
        i as (insert into bare.items (thread_id, turn_seq, position, id, turn_id, user_id, body) values ($1, 1, 0, $4, $2, 'u', $5))
       insert into bare.jobs values ($2, 'created', 0, null)`,
      [thread, turn, request, input, body],
    );
    await pool.query(
      `with j as (update bare.jobs set state = 'active', heartbeat = now() where id = $1)
       update bare.turns set status = 'running', attempt = 0, runner = $1, started_at = now() where id = $1`,
      [turn],
    );
    await pool.query('select body from bare.items where thread_id = $1 order by turn_seq, position', [thread]);
    await pool.query(
      `with f as (select 1 from bare.turns where id = $2 and attempt = 0 and status = 'running' for no key update)
       insert into bare.items (thread_id, turn_seq, position, id, turn_id, user_id, attempt, body, usage)
       select $1, 1, 1, $3, $2, 'u', 0, $4, $5 from f`,
      [thread, turn, output, body, usage],
    );
    await pool.query(
      `with j as (delete from bare.jobs where id = $2),
        u as (update bare.turns set status = 'completed', usage = $3, ended_at = now() where id = $2 and attempt = 0)
       update bare.threads set active = null where id = $1`,
      [thread, turn, usage],
    );
    await pool.query('select status, usage from bare.turns where id = $1', [turn]);
  };
}
