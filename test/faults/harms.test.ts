import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Cluster, rounds, startCluster } from './cluster.ts';
import { addFigures } from './figures.ts';
import {
  cancelStatements,
  exhaustConnections,
  loseAnswer,
  loseEventLog,
  makeReadOnly,
  refuseWrites,
  resetListeners,
} from './harms.ts';
import { startLoad } from './load.ts';
import { STATEMENTS } from './statements.ts';

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster();
  await Promise.all([cluster.start(), cluster.start()]);
});

afterEach(() => cluster.forget());

afterAll(() => cluster.close());

const ROUNDS = rounds(1, 20);
const WHILE_MS = rounds(1000, 3000);
const CODES = ['40P01', '53100', '40001', '53200', '55P03', '57P05'].slice(0, rounds(2, 6));

const HARMS: [string, () => Promise<void>, { lostLog?: true }?][] = [
  ['the connections that listen are reset', () => resetListeners(cluster)],
  ['connections are scarce (53300)', () => exhaustConnections(cluster, WHILE_MS)],
  ['the primary is read-only (25006)', () => makeReadOnly(cluster, WHILE_MS)],
  ['statements are cancelled (57014)', () => cancelStatements(cluster, WHILE_MS)],
  ...CODES.map((code): [string, () => Promise<void>] => [
    `writes are refused with ${code}`,
    () => refuseWrites(cluster, code, WHILE_MS),
  ]),
  ['the event log is lost', () => loseEventLog(cluster), { lostLog: true }],
  ...Object.entries(STATEMENTS).map(([name, words]): [string, () => Promise<void>] => [
    `the answer to ${name} is lost`,
    () => loseAnswer(cluster, words),
  ]),
];

test.each(HARMS)(
  '%s under load: every turn ends as usual',
  async (what, harm, account) => {
    const load = startLoad(cluster);
    await load.hear();
    for (let round = 0; round < ROUNDS; round++) {
      await load.begin(12);
      await harm();
      await load.hear();
    }
    await load.stop();

    const failed = await load.findFailed();
    const breaches = await load.findBreaches(account);
    await addFigures(what, ROUNDS, `${load.figures()}, ${breaches.length} breaches, ${failed.length} failed`);
    expect(breaches).toEqual([]);
    expect(failed).toEqual([]);
    expect(cluster.replicas.size).toBe(2);
  },
  120_000 + ROUNDS * 30_000,
);
