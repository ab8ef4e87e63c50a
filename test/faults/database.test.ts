import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { type Cluster, type Replica, rounds, startCluster, turnIdOf } from './cluster.ts';
import { findBreaches } from './ledger.ts';
import { query } from './query.ts';

let cluster: Cluster;

beforeEach(async () => {
  cluster = await startCluster();
});

afterEach(() => cluster.close());

const ROUNDS = rounds(3, 60);

test.each([
  ['its connections are cut', async () => cluster.proxy.cut()],
  ['it is away for a second', () => away(1000)],
  ['it is restarted', () => signalPostmaster('SIGINT')],
  ['it is killed with -9', () => signalPostmaster('SIGKILL')],
])(
  'PostgreSQL under load, %s: everything goes on without a restart of the replicas',
  async (_what, harm) => {
    const replicas = await Promise.all([cluster.start(), cluster.start()]);
    const accepted: string[] = [];
    const stop = new AbortController();
    const load = Array.from({ length: 8 }, (_, i) => talk(replicas, i, accepted, stop.signal));

    for (let round = 0; round < ROUNDS; round++) {
      const before = accepted.length;
      await waitFor('messages to be accepted', async () => accepted.length > before + 10, 90_000);
      await harm();
    }
    const before = accepted.length;
    await waitFor('messages to be accepted again', async () => accepted.length > before + 10, 90_000);
    stop.abort();
    await Promise.all(load);
    await waitFor('all turns to end', async () => (await unended()) === 0, 90_000);

    expect(await findBreaches(cluster.connection, accepted.map(turnIdOf))).toEqual([]);
    expect(cluster.replicas.size).toBe(2);
    const keys = cluster.ledger.marks.filter(({ name }) => name === 'mark_once').map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
  },
  120_000 + ROUNDS * 15_000,
);

async function away(milliseconds: number): Promise<void> {
  cluster.proxy.break();
  await sleep(milliseconds);
  cluster.proxy.mend();
}

/** The embedded server is started again by its owner, which is this process. */
async function signalPostmaster(signal: NodeJS.Signals): Promise<void> {
  const file = await readFile(`${cluster.connection.host}/postmaster.pid`, 'utf8');
  process.kill(Number(file.split('\n')[0]), signal);
}

async function talk(replicas: Replica[], lane: number, accepted: string[], signal: AbortSignal): Promise<void> {
  let previous: string | undefined;
  const scripts = ['say short', 'count 10 every 20', `use mark_once {"ledger":"${cluster.ledger.url}","pause":20}`];
  for (let turn = 0; !signal.aborted; turn++) {
    const response = await replicas[(turn + lane) % replicas.length]?.post({
      input: scripts[turn % scripts.length],
      background: true,
      previous_response_id: previous,
    });
    if (response?.status === 200) {
      previous = ((await response.json()) as { id: string }).id;
      accepted.push(previous);
    }
    await sleep(50);
  }
}

async function unended(): Promise<number> {
  const [row] = await query<{ count: string }>(cluster, 'select count(*) from turns where ended_at is null');
  return Number(row?.count);
}
