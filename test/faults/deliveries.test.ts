import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Asked, startStandIn } from '../support/stand-in.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Cluster, rounds, startCluster } from './cluster.ts';
import { query } from './query.ts';

let cluster: Cluster;
let outside: Awaited<ReturnType<typeof startStandIn>>;
/** The receivers hold their answers while this is set, so that a kill meets requests under way. */
let isHeld = false;

beforeAll(async () => {
  outside = await startStandIn(async () => {
    await waitFor('the answers to be released', async () => !isHeld, 120_000);
    return { status: 204, text: '' };
  });
  const env = { STAND_IN_PORT: String(outside.port), WEBHOOK_CALLBACK_HOSTS: 'hooks.example' };
  cluster = await startCluster({ env });
});

afterAll(async () => {
  await cluster.close();
  await outside.close();
});

const KILLS = rounds(1, 20);
const JOBS = rounds(12, 50);

test(
  'callbacks and events survive kills: each arrives, in order, and only those under way arrive twice',
  async () => {
    await cluster.start();
    const [replica] = cluster.replicas;
    const endpoint = {
      name: 'all',
      url: 'https://events.example/',
      events: ['turn.ended'],
      turns: 'all',
      everyone: true,
    };
    const body = JSON.stringify(endpoint);
    const added = await replica?.request('/api/notifications/endpoints', { method: 'POST', body });
    expect(added?.status).toBe(201);

    const jobs: string[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const victim = [...cluster.replicas][0];
      const another = await cluster.start();
      for (let job = 0; job < JOBS; job++) {
        if (job === Math.floor(JOBS / 2)) {
          await waitFor('the first half', async () => (await openDeliveries()) === 0, 60_000);
          isHeld = true;
        }
        const callback_url = 'https://hooks.example/';
        jobs.push(
          await another.webhook.submit({ user_id: 'ann', message: 'say done', callback_url, conversation_id: 'one' }),
        );
      }
      await waitFor('requests under way', async () => (await countSending()) > 0);
      await victim?.kill();
      isHeld = false;
      await waitFor('all deliveries', async () => (await openDeliveries()) === 0, 60_000);
    }

    const ids = (host: string) => outside.asked.filter((each) => each.host === host).map(idOf);
    expect(new Set(ids('hooks.example'))).toEqual(new Set(jobs));
    expect(firstOf(ids('events.example'))).toHaveLength(jobs.length);
    const turns = outside.asked.filter((each) => each.host === 'events.example').map(turnOf);
    expect(firstOf(turns)).toEqual(jobs); // the turns of one thread ended in this order
    const unknown = await query<{ count: string }>(
      cluster,
      `select count(*) from delivery_attempts where outcome = 'unknown'`,
    );
    const repeats = outside.asked.length - 2 * jobs.length;
    console.log(`${jobs.length} jobs, ${KILLS} kills, ${repeats} requests were repeated`);
    expect(repeats).toBeLessThanOrEqual(Number(unknown[0]?.count));
    expect(await states()).toEqual([{ state: 'sent', count: String(2 * jobs.length) }]);
  },
  120_000 + KILLS * 60_000,
);

const idOf = ({ headers }: Asked) => String(headers['webhook-id']);
const turnOf = ({ body }: Asked) => (JSON.parse(body) as { data: { turn_id: string } }).data.turn_id;
const firstOf = (values: readonly string[]) => [...new Set(values)];

async function openDeliveries(): Promise<number> {
  const [row] = await query<{ count: string }>(
    cluster,
    `select (select count(*) from deliveries where state in ('pending', 'sending')) + (select count(*) from outbox)
       + (select count(*) from jobs where status <> 'completed') as count`,
  );
  return Number(row?.count);
}

async function countSending(): Promise<number> {
  const [row] = await query<{ count: string }>(cluster, `select count(*) from deliveries where state = 'sending'`);
  return Number(row?.count);
}

const states = () => query(cluster, 'select state, count(*) from deliveries group by state');
