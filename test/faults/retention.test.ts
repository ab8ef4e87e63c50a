import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type S3Server, startS3Server } from '../support/s3-server.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Cluster, rounds, startCluster } from './cluster.ts';
import { query } from './query.ts';

let cluster: Cluster;
let s3: S3Server;

beforeAll(async () => {
  s3 = await startS3Server();
  const env = { ...s3.env, PURGE_THREADS_EVERY_MS: '300', SWEEP_ATTACHMENTS_EVERY_MS: '300' };
  cluster = await startCluster({ env });
});

afterAll(async () => {
  await cluster.close();
  await s3.close();
});

const THREADS = rounds(6000, 60_000);
const ITEMS = 5;

test('replicas that are killed while they purge leave each thread complete or gone, and never touch a waiting one', async () => {
  await query(cluster, OLD_THREADS, [THREADS, ITEMS]);
  // Every tenth thread waits at a gate.
  await query(
    cluster,
    `insert into gates (id, thread_id, turn_id, turn_seq, user_id, kind, call)
     select gen_random_uuid(), threads.id, turns.id, 1, threads.user_id, 'approval', '{}'
     from threads join turns on turns.thread_id = threads.id where right(threads.id::text, 1) = '0'`,
  );
  await query(
    cluster,
    `insert into retention (user_id, kind, days) values ('*', 'threads', 30), ('bob', 'threads', null)`,
  );

  let left = await countThreads();
  const kept = await countKept();
  for (let kill = 0; kill < rounds(1, 3); kill++) {
    const before = left;
    const replica = await cluster.start();
    await waitFor('the purge to begin', async () => (left = await countThreads()) < before, 60_000);
    await replica.kill();
    expect(left).toBeGreaterThan(kept);
    expect(await query(cluster, TORN)).toEqual([{ torn: 0 }]);
  }
  await cluster.start();
  await waitFor('the rest to go', async () => (await countThreads()) === kept, 60_000);
  expect(await query(cluster, TORN)).toEqual([{ torn: 0 }]);
  expect(await countKept()).toBe(kept);
});

test('a replica that is killed while it erases a user is replaced, and the certificate counts each row once', async () => {
  await Promise.all([...cluster.replicas].map((replica) => replica.kill()));
  const [held] = await query<{ threads: number; items: number }>(
    cluster,
    `select (select count(*)::integer from threads where user_id = 'ann') as threads,
       (select count(*)::integer from items where user_id = 'ann') as items`,
  );
  await query(cluster, MORE_THREADS, [THREADS / 4]);
  const id = '0198c2d4-6d1e-7c3a-9b51-3f2f8a9f1c11';
  await query(cluster, `insert into erasures (id, subject, requested_by) values ($1, 'ann', 'operator')`, [id]);
  const left = () => countOf(`select count(*)::integer as count from threads where user_id = 'ann'`);
  const replica = await cluster.start();
  const all = await left();
  await waitFor('the erasure to begin', async () => (await left()) < all, 60_000);
  await replica.kill();
  expect(await left()).toBeGreaterThan(0);

  await cluster.start();
  const certificate = await waitFor(
    'the certificate',
    async () => {
      const [row] = await query<{ certificate: string | null }>(
        cluster,
        'select certificate from erasures where id = $1',
        [id],
      );
      return row?.certificate ?? undefined;
    },
    60_000,
  );
  const deleted = { threads: all, items: held?.items ?? 0, turns: held?.threads ?? 0 };
  expect(JSON.parse(certificate)).toMatchObject({ subject: 'ann', deleted });
  expect(await left()).toBe(0);
  expect(await countOf(`select count(*)::integer as count from threads where user_id = 'bob'`)).toBeGreaterThan(0);
});

test('an upload whose replica is killed before its row is written leaves an object, which the next replica removes', async () => {
  const image = `data:image/png;base64,${randomBytes(20_000).toString('base64')}`;
  const input = [{ role: 'user', content: [{ type: 'input_image', image_url: image }] }];
  const keysInRows = async () =>
    (await query<{ key: string }>(cluster, 'select object_key as key from attachments')).map(({ key }) => key);
  const [replica = await cluster.start()] = cluster.replicas;

  const uploaded = cluster.proxy.freezeAt('and not is_removing returning', 'before');
  const unanswered = replica.ask(input).catch(() => 'no answer');
  await uploaded;
  await replica.kill();
  expect(await unanswered).toBe('no answer');
  cluster.proxy.cut();
  cluster.proxy.thaw();
  const [orphan = ''] = await s3.keys();
  expect(await keysInRows()).toEqual([]);

  const next = await cluster.start();
  expect((await next.ask(input)).status).toBe('completed');
  const kept = await keysInRows();
  expect((await s3.keys()).toSorted()).toEqual([orphan, ...kept].toSorted());
  await query(cluster, 'update unused_objects set due_at = now()');
  await waitFor('the object to be removed', async () => !(await s3.keys()).includes(orphan));
  expect(await s3.keys()).toEqual(kept);
  const rowsGone = async () => (await query(cluster, 'select from unused_objects')).length === 0;
  await waitFor('its row to go', rowsGone);

  // Killed after the object is gone, and before the row that says so.
  await query(cluster, 'delete from attachment_uses');
  await query(cluster, 'delete from workspace_files');
  const removed = cluster.proxy.freezeAt('delete from unused_objects where object_key = any', 'before');
  await query(cluster, `update attachments set idle_since = now() - interval '2 hours'`);
  await removed;
  await next.kill();
  cluster.proxy.cut();
  cluster.proxy.thaw();
  expect(await s3.keys()).toEqual([]);
  expect(await query(cluster, 'select object_key as key from unused_objects')).toEqual(kept.map((key) => ({ key })));
  await cluster.start();
  await waitFor('the row to go', rowsGone);
});

const MORE_THREADS = `
  insert into threads (id, user_id, last_seq) select gen_random_uuid(), 'ann', 1 from generate_series(1, $1::integer)`;

const OLD_THREADS = `
  with made as (
    insert into threads (id, user_id, last_seq, updated_at)
    select ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, case when n % 100 = 1 then 'bob' else 'ann' end, 1, now() - interval '90 days'
    from generate_series(1, $1::integer) as n returning id, user_id
  ), turned as (
    insert into turns (id, thread_id, user_id, seq, status, channel, request, ended_at)
    select gen_random_uuid(), id, user_id, 1, 'completed', 'chat', '{}', now() - interval '90 days' from made returning id, thread_id, user_id
  )
  insert into items (thread_id, turn_seq, position, id, turn_id, user_id, body)
  select thread_id, 1, n, gen_random_uuid(), id, user_id, '{}' from turned, generate_series(1, $2::integer) as n`;

// Threads without all of their rows, and rows without a thread.
const TORN = `
  select count(*)::integer as torn from threads
  full join (select thread_id, count(*) as items from items group by 1) as held on held.thread_id = threads.id
  left join turns on turns.thread_id = threads.id
  where threads.id is null or turns.id is null or items <> ${ITEMS}`;

const countThreads = () => countOf('select count(*)::integer as count from threads');
const countKept = () =>
  countOf(`select count(*)::integer as count from threads
    where user_id = 'bob' or exists (select from gates where thread_id = threads.id)`);

async function countOf(statement: string): Promise<number> {
  const [row] = await query<{ count: number }>(cluster, statement);
  return row?.count ?? 0;
}
