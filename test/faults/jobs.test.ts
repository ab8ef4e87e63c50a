import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { type Cluster, type Replica, rounds, startCluster } from './cluster.ts';
import { query } from './query.ts';

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster();
});

afterAll(() => cluster.close());

const SUBMISSIONS = rounds(200, 2000);
const PER_SECOND = 200;

test(
  'every submission answered with 200 has one job that completes, and every other has none',
  async () => {
    await Promise.all([cluster.start(), cluster.start(), cluster.start()]);
    const accepted = new Map<string, string>(); // the submission, and its job
    const unknown: string[] = []; // no answer came, so the outcome is unknown
    const killAt = new Set([Math.floor(SUBMISSIONS / 3), Math.floor((SUBMISSIONS * 2) / 3)]);
    const sending: Promise<void>[] = [];

    for (let index = 0; index < SUBMISSIONS; index++) {
      if (killAt.has(index)) {
        const [victim] = cluster.replicas;
        await victim?.kill();
      }
      const replica = [...cluster.replicas][index % cluster.replicas.size];
      if (replica) sending.push(submit(replica, `submission-${index}`, accepted, unknown));
      await sleep(1000 / PER_SECOND);
    }
    await Promise.all(sending);
    await waitFor('all jobs to complete', async () => (await openJobs()) === 0, 60_000);

    const jobs = await query<JobRow>(cluster, `select id, metadata ->> 'name' as name, status, failure from jobs`);
    const byName = Map.groupBy(jobs, (job) => job.name);
    expect([...byName.values()].filter((same) => same.length > 1)).toEqual([]);
    for (const [name, id] of accepted)
      expect(byName.get(name)?.[0]).toMatchObject({ id, status: 'completed', failure: null });
    const unexplained = jobs.filter(({ name }) => !accepted.has(name) && !unknown.includes(name));
    expect(unexplained).toEqual([]);
    expect(await answersPerJob()).toEqual([{ answers: '1' }]);
    console.log(
      `${SUBMISSIONS} submissions, ${accepted.size} accepted, ${unknown.length} without an answer, ${jobs.length} jobs`,
    );
    expect(accepted.size).toBeGreaterThan(SUBMISSIONS / 2);
  },
  120_000 + SUBMISSIONS * 50,
);

type JobRow = { id: string; name: string; status: string; failure: object | null };

async function submit(replica: Replica, name: string, accepted: Map<string, string>, unknown: string[]): Promise<void> {
  try {
    const response = await replica.webhook.post({ user_id: 'load', message: 'say done', metadata: { name } });
    expect(response.status).toBe(200);
    accepted.set(name, ((await response.json()) as { job_id: string }).job_id);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    unknown.push(name); // the error of fetch for a cut connection
  }
}

async function openJobs(): Promise<number> {
  const [row] = await query<{ count: string }>(cluster, `select count(*) from jobs where status <> 'completed'`);
  return Number(row?.count);
}

/** How many final answers each job's turn has, as distinct counts. */
const answersPerJob = () =>
  query<{ answers: string }>(
    cluster,
    `select distinct (select count(*) from items where items.turn_id = jobs.turn_id and attempt is not null
       and body ->> 'status' = 'completed') as answers from jobs`,
  );
