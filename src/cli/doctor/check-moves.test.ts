import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '#domain/ids.ts';
import { openMigratedDatabase } from '../../../test/support/migrated-database.ts';
import { checkMoves } from './check-moves.ts';

let database: Awaited<ReturnType<typeof openMigratedDatabase>>;

beforeAll(async () => {
  database = await openMigratedDatabase();
});

afterAll(() => database.close());

test('a move that was killed is reported with the command that finishes it', async () => {
  const add = (subject: string, state: string, minutes: number) =>
    database.everything.query(
      `insert into user_moves (id, subject, cell, state, started_at)
       values ($1, $2, 2, $3, now() - make_interval(mins => $4))`,
      [newId(), subject, state, minutes],
    );
  await add('ann', 'leaving', 20);
  await add('ben', 'leaving', 1);
  await add('cem', 'gone', 20);
  await add('dia', 'arrived', 20);
  await add('eva', 'left', 20);

  const findings = await checkMoves(database.everything);
  expect(findings.map(({ level, mend }) => [level, /reborn user move (\w+) --to/.exec(mend ?? '')?.[1]])).toEqual([
    ['warning', 'ann'],
    ['warning', 'eva'],
  ]);
});
