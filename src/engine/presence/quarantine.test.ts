import { expect, test } from 'vitest';
import { newId, type ReplicaId, type TurnId } from '#domain/ids.ts';
import type { Turn } from '#domain/thread/turn.ts';
import type { EnginePool } from '../engine-connection.ts';
import type { Session } from './listener.ts';
import { createQuarantine } from './quarantine.ts';

type Suspect = { readonly id: TurnId; readonly most: number | undefined };

const suspects = (count: number): Suspect[] => Array.from({ length: count }, () => ({ id: newId(), most: undefined }));

/**
 * One life of a host: its suspects run until all have ended, or until `killer` is in a group. Returns the groups, and what
 * the next host finds.
 */
async function host(found: readonly Suspect[], killer?: TurnId): Promise<{ groups: TurnId[][]; left: Suspect[] }> {
  const groups: TurnId[][] = [];
  const died = Promise.withResolvers<void>();
  const session = { query: async () => ({ rows: [{ locked: true }] }) } as unknown as Session;
  const query = async (_: string, [ids]: [TurnId[]]) => {
    groups.push(ids);
    if (!killer || !ids.includes(killer)) return;
    died.resolve();
    await new Promise(() => {});
  };
  const pool = { query } as unknown as EnginePool;
  const quarantine = createQuarantine({ session, pool, replica: newId<ReplicaId>(), onError: () => {} });
  const { signal } = new AbortController();
  const ended = new Set<TurnId>();
  const running = found.map(async ({ id, most }) => {
    const end = await quarantine.enter({ id, attempt: 2 } as Turn, most, signal);
    ended.add(id);
    end();
  });
  await Promise.race([died.promise, Promise.all(running)]);
  const last = groups.at(-1) ?? [];
  const limit = Math.max(1, Math.floor(last.length / 2));
  const left = found.filter(({ id }) => !ended.has(id));
  return { groups, left: left.map((each) => (last.includes(each.id) ? { ...each, most: limit } : each)) };
}

test('suspects that kill no host run in two groups', async () => {
  const { groups, left } = await host(suspects(40));
  expect(groups.map((group) => group.length)).toEqual([20, 20]);
  expect(left).toEqual([]);
});

test.each([1, 2, 3, 40, 500])(
  'of %i suspects, the one that kills its host is found alone after few crashes',
  async (many) => {
    let left = suspects(many);
    const killer = left[Math.floor(Math.random() * many)]?.id as TurnId;
    let last: readonly TurnId[] = [];
    let crashes = 0;
    while (last.length !== 1) {
      const life = await host(left, killer);
      last = life.groups.at(-1) ?? [];
      left = life.left;
      crashes++;
    }
    expect(last).toEqual([killer]);
    expect(crashes).toBeLessThanOrEqual(Math.ceil(Math.log2(many)) + 1);
  },
);

test('a suspect that is stopped while it waits does not hold up the others', async () => {
  const session = { query: async () => ({ rows: [{ locked: true }] }) } as unknown as Session;
  const pool = { query: async () => {} } as unknown as EnginePool;
  const quarantine = createQuarantine({ session, pool, replica: newId<ReplicaId>(), onError: () => {} });
  const stopping = new AbortController();
  const turn = { id: newId<TurnId>(), attempt: 2 } as Turn;
  const [first, second] = [
    quarantine.enter(turn, 1, new AbortController().signal),
    quarantine.enter(turn, 1, stopping.signal),
  ];
  const end = await first;
  stopping.abort();
  (await second)();
  end();
  const third = await quarantine.enter(turn, 1, new AbortController().signal);
  expect(third).toBeTypeOf('function');
  third();
});
