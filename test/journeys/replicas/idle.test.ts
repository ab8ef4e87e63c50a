import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, vi } from 'vitest';
import { ENGINE_TIMES } from '#engine/engine-times.ts';
import type { Home } from '../../support/fresh-home.ts';
import { journey } from '../../support/journey.ts';
import { textOf, WEBHOOK_SECRET } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

const WINDOW_MS = 4000;
const MOST_WINDOWS = 6;
const MOST_CONNECTIONS = 10;
const MOST_IDLE_CONNECTIONS = 3;
const REPLICAS = 3;
const MOST_STATEMENTS = 3;
const MOST_SHARE = 0.01;
const TURNS = 10;
const test = journey()
  .override('env', ({ home }) => ({ ...home.env, HTTP_WEBHOOK_SECRET: WEBHOOK_SECRET }))
  .override('parts', { engineTimes: ENGINE_TIMES });

test('a busy replica opens at most 10 connections, and at most 3 stay open when it is idle', async ({
  home,
  startAnother,
}) => {
  const service = await startAnother();
  const list = () => service.request('/api/threads');
  const statuses = await Promise.all(
    [list, () => service.request('/api/users'), () => service.post({ input: 'hello', background: true })]
      .flatMap((request) => Array.from({ length: 60 }, request))
      .map(async (response) => (await response).status),
  );
  expect(new Set(statuses)).toEqual(new Set([200]));
  const busy = await countConnections(home);
  console.log(`busy: ${busy} connections`);
  expect(busy).toBeGreaterThan(MOST_IDLE_CONNECTIONS);
  expect(busy).toBeLessThanOrEqual(MOST_CONNECTIONS);

  await waitFor('connections to close', async () => (await countConnections(home)) <= MOST_IDLE_CONNECTIONS);
  await service.close();
});

test('each of three idle replicas sends at most 3 statements a second and costs under 1 % of a core', async ({
  startAnother,
}) => {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  await Promise.all(Array.from({ length: REPLICAS }, () => startAnother()));

  // The work that follows a start does not count as idle.
  let measured = await measure();
  for (let windows = 1; windows < MOST_WINDOWS && !isIdle(measured); windows++) measured = await measure();
  const rates = measured.statements.map((rate) => rate.toFixed(1)).join(', ');
  console.log(`idle: ${rates} statements/s, ${(measured.share * 100).toFixed(2)} % of a core each`);
  expect(measured.statements).toHaveLength(REPLICAS);
  expect(Math.max(...measured.statements)).toBeLessThanOrEqual(MOST_STATEMENTS);
  expect(measured.share).toBeLessThan(MOST_SHARE);

  /** The statements per second of each replica, and the CPU time of one, which includes its share of the test runner's. */
  async function measure(): Promise<Measured> {
    const [before, cpu, begun] = [query.mock.calls.length, process.cpuUsage(), performance.now()];
    await sleep(WINDOW_MS);
    const [used, seconds] = [process.cpuUsage(cpu), (performance.now() - begun) / 1000];
    const bySender = Object.groupBy(query.mock.contexts.slice(before), applicationOf);
    return {
      statements: Object.values(bySender).map((each) => (each?.length ?? 0) / seconds),
      share: (used.user + used.system) / 1e6 / seconds / REPLICAS,
    };
  }
});

test('a turn without steering and subagents sends the statements that it sent before there were any', async ({
  startAnother,
}) => {
  const service = await startAnother();
  const query = vi.spyOn(pg.Client.prototype, 'query');
  expect(textOf(await service.ask('call reborn_time {}'))).toContain('utc');

  expect(await fewest('say hello')).toEqual(['take_uses', 'accept_turns', 'settle_turns']);
  const steps = ['settings', 'append_items', 'append_items']; // the policy of the tool, its call, and its output
  expect(await fewest('call reborn_time {}')).toEqual(['take_uses', 'accept_turns', ...steps, 'settle_turns']);

  /** Of several turns the one with the fewest: regular work of the service may come in between. */
  async function fewest(input: string): Promise<string[]> {
    const turns: string[][] = [];
    for (let turn = 0; turn < TURNS; turn++) {
      const before = query.mock.calls.length;
      expect(await service.ask(input)).toMatchObject({ status: 'completed' });
      turns.push(query.mock.calls.slice(before).map(nameOf));
    }
    return turns.toSorted((one, other) => one.length - other.length)[0] ?? [];
  }
});

/** The function that a statement calls, or the table that it reads. */
function nameOf([statement]: readonly unknown[]): string {
  const { text = String(statement) } = statement as { text?: string };
  const [, called, read] = /(\w+_(?:turns|items|uses))\(|from "(\w+)"/.exec(text) ?? [];
  return called ?? read ?? text;
}

async function countConnections(home: Home): Promise<number> {
  const rows = await home.query(
    `select from pg_stat_activity where datname = current_database() and application_name like 'reborn %'`,
  );
  return rows.length;
}

type Measured = { readonly statements: readonly number[]; readonly share: number };

const isIdle = ({ statements, share }: Measured) => Math.max(...statements) <= MOST_STATEMENTS && share < MOST_SHARE;

/** The name contains the ID of the replica. */
const applicationOf = (client: unknown) =>
  (client as { connectionParameters: { application_name: string } }).connectionParameters.application_name;
