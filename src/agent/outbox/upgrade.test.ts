// @module-tag slow
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MIGRATIONS, migrateDatabase } from '#database/migrate.ts';
import { newId, type ReplicaId } from '#domain/ids.ts';
import { takeDeliveries } from '#store/system/deliveries.ts';
import { readOutbox } from '#store/system/outbox.ts';
import { openMigratedDatabase } from '../../../test/support/migrated-database.ts';

let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
const ids = { due: newId(), underway: newId(), late: newId(), delivered: newId(), open: newId() };
const query = (statement: string, values: unknown[] = []) => database.everything.query(statement, values);

/** The database as the version before has left it, in the middle of its work. */
beforeAll(async () => {
  database = await openMigratedDatabase();
  await query('drop schema public cascade; create schema public');
  await migrateDatabase(database.connection, MIGRATIONS, '0034-erasures');
  const insert = (id: string, status: string, callback: string, attempts: number, due: string | null) =>
    query(
      `insert into jobs (id, user_id, thread_id, turn_id, status, callback_url, callback_status, callback_attempts, callback_due_at, completed_at)
       values ($1, 'webhook:ann', $1, $1, $2, 'https://hooks.example/', $3, $4, now() + $5::interval, now())`,
      [id, status, callback, attempts, due],
    );
  await insert(ids.due, 'completed', 'pending', 2, '-1 second');
  await insert(ids.underway, 'completed', 'pending', 1, '60 seconds');
  await insert(ids.late, 'completed', 'pending', 1, '60 seconds');
  await insert(ids.delivered, 'completed', 'delivered', 1, null);
  await insert(ids.open, 'running', 'pending', 0, null);
  await migrateDatabase(database.connection, MIGRATIONS);
});

afterAll(() => database.close());

/** A statement as the webhook channel of the version before sends it. */
async function asChannel(statement: string, values: unknown[]): Promise<number | null> {
  const client = await database.everything.connect();
  try {
    await client.query(`begin; set local app.engine = 'off'; set local app.user_id = 'webhook'`);
    return (await client.query(statement, values)).rowCount;
  } finally {
    await client.query('commit');
    client.release();
  }
}

test('callbacks that were due or under way become deliveries, with their attempts and due times', async () => {
  const { rows } = await query(
    'select id, state, attempts, due_at > now() as later from deliveries order by attempts, id',
  );

  expect(rows).toEqual(
    expect.arrayContaining([
      { id: ids.due, state: 'pending', attempts: 2, later: false },
      { id: ids.underway, state: 'pending', attempts: 1, later: true },
      { id: ids.late, state: 'pending', attempts: 1, later: true },
    ]),
  );
  expect(rows).toHaveLength(3);
});

test('the version before takes none of them any more', async () => {
  const due = `select from jobs where callback_status = 'pending' and status = 'completed' and callback_due_at is not null`;

  expect(await asChannel(due, [])).toBe(0);
});

test('an attempt that the version before had started ends as it reports', async () => {
  const report = (id: string, status: string, wait: string | null) =>
    asChannel(
      `update jobs set callback_status = $2, callback_error = null, callback_due_at = now() + $3::interval
       where id = $1 and callback_status = 'pending'`,
      [id, status, wait],
    );
  await report(ids.underway, 'delivered', null);
  await report(ids.late, 'pending', '5 seconds');

  const { rows } = await query(
    "select state, due_at > now() + interval '10 seconds' as later from deliveries where id = any($1) order by state",
    [[ids.underway, ids.late]],
  );
  expect(rows).toEqual([
    { state: 'pending', later: true },
    { state: 'sent', later: true },
  ]);
});

test('a job that the version before completes leads to a delivery, too', async () => {
  await query(`update jobs set status = 'completed', callback_due_at = now() where id = $1`, [ids.open]);

  expect(await readOutbox(database.everything, 10)).toMatchObject([
    { type: 'job.completed', subject: ids.open, callbackUrl: 'https://hooks.example/' },
  ]);
  const [taken] = await takeDeliveries(database.everything, newId<ReplicaId>(), 10, 60);
  expect(taken).toMatchObject({ id: ids.due, attempts: 3, failures: 2 });
});
