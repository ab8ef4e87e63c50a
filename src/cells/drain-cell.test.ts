// @module-tag slow
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openMigratedDatabase } from '../../test/support/migrated-database.ts';
import { IDENTITIES_OPEN } from '../../test/support/person.ts';
import { drainCell, type Leaver } from './drain-cell.ts';

let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
let source: ReturnType<typeof database.connectEverything>;

beforeAll(async () => {
  database = await openMigratedDatabase();
  source = database.connectEverything(IDENTITIES_OPEN);
});

afterAll(async () => {
  await source.end();
  await database.close();
});

const NAMES = ['ann', 'ben', 'cem', 'dia', 'eva', 'fay', 'gil'];

beforeEach(async () => {
  await source.query('delete from users');
  await source.query('delete from user_moves');
  await source.query(`delete from settings where name = 'cell_drain'`);
  await source.query(`insert into users (id, name, role) select name, name, 'member' from unnest($1::text[]) as name`, [
    NAMES,
  ]);
});

/** Deletes the user, as a move does here. `decide` may throw, or say why they stay. */
function moverOf(decide: (user: Leaver) => string | undefined = () => undefined) {
  const moved: [string, number][] = [];
  return {
    moved,
    move: async (user: Leaver, to: number) => {
      const reason = decide(user);
      if (reason !== undefined) return reason;
      await source.query('delete from users where id = $1', [user.id]);
      moved.push([user.id, to]);
      return undefined;
    },
  };
}

const drain = (movers: ReturnType<typeof moverOf>[], perMinute = 6000) =>
  drainCell({ source, movers, targets: [2, 3].map((cell) => ({ cell, weight: 100 })), perMinute });

test('all users leave once, to several cells, at most as fast as they may', async () => {
  const movers = [moverOf(), moverOf()];
  const began = performance.now();
  const record = await drain(movers, 1200);

  const moved = movers.flatMap((mover) => mover.moved);
  expect(moved.map(([id]) => id).toSorted()).toEqual(NAMES);
  expect(new Set(moved.map(([, to]) => to))).toEqual(new Set([2, 3]));
  expect(performance.now() - began).toBeGreaterThan((NAMES.length - 1) * 50 - 5);
  expect(record).toMatchObject({ moved: 7, stayed: 0, left: 0, endedAt: expect.any(String) });
});

test('users who were removed stay, and a move that was started goes to its cell', async () => {
  await source.query(`update users set removed_at = now() where id = 'ann'`);
  await source.query(
    `insert into user_moves (id, subject, cell, state) values (gen_random_uuid(), 'ben', 9, 'leaving')`,
  );
  const mover = moverOf();
  await drain([mover]);

  expect(mover.moved.map(([id]) => id)).toEqual(NAMES.slice(1));
  expect(mover.moved[0]).toEqual(['ben', 9]);
});

test('one who can not move stays, one failure does not stop the others, and five in a row do', async () => {
  const picky = moverOf(({ id }) => {
    if (id === 'cem') throw new Error('lost');
    return id === 'dia' ? 'linked to a chat' : undefined;
  });
  expect(await drain([picky])).toMatchObject({ moved: 5, stayed: 2, left: 0 });

  await source.query(
    `insert into users (id, name, role) select 'more ' || n, 'more ' || n, 'member' from generate_series(1, 4) as n`,
  );
  const broken = moverOf(() => {
    throw new Error('no answer');
  });
  await expect(drain([broken])).rejects.toThrow('no answer');
});

test('a drain that did not end is continued with its count, and one that has ended is started again', async () => {
  await source.query(
    `insert into users (id, name, role) select 'late ' || n, 'late ' || n, 'member' from generate_series(1, 3) as n`,
  );
  const dying = moverOf(({ id }) => {
    if (id >= 'fay') throw new Error('killed');
    return undefined;
  });
  await expect(drain([dying])).rejects.toThrow('killed');
  expect(dying.moved).toHaveLength(5);

  expect(await drain([moverOf()])).toMatchObject({ moved: 10, stayed: 0, left: 0 });
  expect(await drain([moverOf()])).toMatchObject({ moved: 0, left: 0 });
});
