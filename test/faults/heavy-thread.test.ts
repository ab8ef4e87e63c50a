import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ENGINE_TIMES } from '#engine/engine-times.ts';
import type { WireResponse } from '../support/service.ts';
import { type Cluster, type Replica, startCluster, turnIdOf } from './cluster.ts';
import { query } from './query.ts';

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster({ times: ENGINE_TIMES });
});

afterAll(() => cluster.close());

const IMAGE_BYTES = 10_000_000;

test.each([
  [41, 'more than one string can hold'],
  [18, 'almost as much as a thread may hold'],
])('a thread with %i large images, %s, delays no other thread and kills no replica', async (images) => {
  const replicas = await Promise.all([cluster.start(), cluster.start()]);
  const [replica] = replicas;
  const first = await replica.ask('say seen');
  await fillWithImages(first.id, images);
  const idle = await timeInnocents(replicas, async () => true);

  const asked = await replica.post({ input: 'say go on', background: true, previous_response_id: first.id });
  const accepted = (await asked.json()) as WireResponse;
  const isOver = async () => asked.status !== 200 || hasEnded(await replica.get(accepted.id));
  const slowest = await timeInnocents(replicas, isOver);

  console.log(`another turn took at most ${slowest.toFixed(0)} ms, before it was heavy ${idle.toFixed(0)} ms`);
  // The message is answered, or its sender gets an error, at once or later.
  const answer = asked.status === 200 ? await replica.get(accepted.id) : accepted;
  expect(answer.error?.message ?? 'a thread was answered').toMatch(/thread|prompt|large|long/);
  expect(answer.error?.code).not.toBe('interrupted');
  expect(slowest).toBeLessThan(Math.max(2000, 5 * idle));
  expect(cluster.replicas.size).toBe(2);
  await Promise.all(replicas.map((each) => each.kill()));
});

const hasEnded = ({ status }: WireResponse) => !['queued', 'in_progress'].includes(status);

/** Stores the items of many messages with an image, without waiting for their answers. */
async function fillWithImages(responseId: string, images: number): Promise<void> {
  await query(
    cluster,
    `insert into items (thread_id, turn_seq, position, id, turn_id, user_id, body)
     select thread_id, turn_seq, position + n, gen_random_uuid(), turn_id, user_id, json_build_object(
       'type', 'message', 'role', 'user', 'status', 'completed', 'content', json_build_array(json_build_object(
         'type', 'image', 'mediaType', 'image/png', 'base64', repeat('BwcH', $1::integer / 3))))
     from items, generate_series(1, $2::integer) as n where attempt is not null and turn_id = $3`,
    [IMAGE_BYTES, images, turnIdOf(responseId)],
  );
  await query(
    cluster,
    `update threads set bytes = (select sum(octet_length(body::text)) from items where thread_id = threads.id)`,
  );
}

/** The time of the slowest of at least ten turns on other threads, on both replicas. */
async function timeInnocents(replicas: readonly Replica[], isOver: () => Promise<boolean>): Promise<number> {
  const taken: number[] = [];
  const end = performance.now() + 60_000;
  do {
    expect(performance.now()).toBeLessThan(end);
    for (const replica of replicas) {
      const begun = performance.now();
      expect((await replica.ask('say innocent')).status).toBe('completed');
      taken.push(performance.now() - begun);
    }
    await sleep(100);
  } while (!(await isOver()) || taken.length < 10);
  return Math.max(...taken);
}
