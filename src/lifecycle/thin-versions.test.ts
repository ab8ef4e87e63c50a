import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { newId } from '#domain/ids.ts';
import { DEFAULT_RETENTION } from '#domain/retention.ts';
import { connectEngine } from '#engine/engine-connection.ts';
import { openMigratedDatabase } from '../../test/support/migrated-database.ts';
import { thinVersions } from './retention.ts';

let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
let pool: ReturnType<typeof connectEngine>;

beforeAll(async () => {
  database = await openMigratedDatabase();
  pool = connectEngine(database.connection, () => {});
});

afterAll(async () => {
  await pool.end();
  await database.close();
});

beforeEach(() =>
  pool.query('truncate threads, items, workspaces, workspace_versions, workspace_files, retention cascade'),
);

const DAY_MS = 86_400_000;
const defaults = { ...DEFAULT_RETENTION, jobs: 30 };
const thin = () => thinVersions(pool, { defaults, isElected: () => true });

/** A change of one file: its content, or null when it was removed. `age` is in days, `item`: whether an item names the version. */
type Version = {
  readonly age: number;
  readonly item?: 'there' | 'gone';
  readonly changes: Readonly<Record<string, string | null>>;
};

/** The versions of a workspace, all at noon, oldest first. */
async function addWorkspace(versions: readonly Version[], user = 'ann'): Promise<string> {
  const id = newId<string>(Date.now() - 1000 * DAY_MS);
  await pool.query(`insert into threads (id, user_id, last_seq) values ($1, $2, 1)`, [id, user]);
  await pool.query(`insert into workspaces (id, user_id, thread_id, head) values ($1, $2, $1, $3)`, [
    id,
    user,
    versions.length,
  ]);
  for (const [index, { age, item, changes }] of versions.entries()) {
    const itemId = item ? newId<string>() : null;
    if (item === 'there')
      await pool.query(
        `insert into items (thread_id, turn_seq, position, id, turn_id, user_id, body) values ($1, 1, $2, $3, $1, $4, '{}')`,
        [id, index, itemId, user],
      );
    const noon = Math.floor(Date.now() / DAY_MS - age) * DAY_MS + DAY_MS / 2;
    await pool.query(
      `insert into workspace_versions (workspace_id, version, user_id, cause, item_id, created_at)
       values ($1, $2, $3, 'person', $4, $5)`,
      [id, index + 1, user, itemId, new Date(noon + index)],
    );
    for (const [path, content] of Object.entries(changes))
      await pool.query(
        `insert into workspace_files (workspace_id, path, version, user_id, sha256, bytes, mode) values ($1, $2, $3, $4, $5, 1, 420)`,
        [id, path, index + 1, user, content],
      );
  }
  return id;
}

/** The kept versions of a workspace, with their files. */
async function treesOf(id: string): Promise<Map<number, Record<string, string>>> {
  const versions = await pool.query<{ version: number }>(
    `select version from workspace_versions where workspace_id = $1 order by 1`,
    [id],
  );
  const files = await pool.query<{ path: string; version: number; sha256: string | null }>(
    `select path, version, sha256 from workspace_files where workspace_id = $1 order by version`,
    [id],
  );
  return new Map(
    versions.rows.map(({ version }) => {
      const newest = new Map(
        files.rows.filter((row) => row.version <= version).map(({ path, sha256 }) => [path, sha256]),
      );
      const tree = [...newest].flatMap(([path, sha256]) => (sha256 === null ? [] : [[path, sha256] as const]));
      return [version, Object.fromEntries(tree)];
    }),
  );
}

const keptOf = async (id: string) => [...(await treesOf(id)).keys()];

test('of old versions, the newest of each day stays, those that an item names, and the newest of all', async () => {
  const changes = { a: 'x' };
  const id = await addWorkspace([
    { age: 50, changes },
    { age: 50, item: 'there', changes },
    { age: 50, item: 'gone', changes },
    { age: 50, changes },
    { age: 45, changes },
    { age: 20, changes },
    { age: 20, changes },
  ]);
  const old = await addWorkspace([
    { age: 40, changes },
    { age: 40, changes: { b: 'y' } },
    { age: 40, changes: { a: null } },
  ]);
  await thin();
  expect(await keptOf(id)).toEqual([2, 4, 5, 6, 7]);
  expect(await treesOf(old)).toEqual(new Map([[3, { b: 'y' }]]));
});

test('each user may have another limit, or none', async () => {
  await pool.query(
    `insert into retention (user_id, kind, days) values ('ben', 'versions', 10), ('eve', 'versions', null)`,
  );
  const versions = [20, 20, 40, 40]
    .toSorted((one, other) => other - one)
    .map((age) => ({ age, changes: { a: `${age}` } }));
  const of = async (user: string) => ({ user, id: await addWorkspace(versions, user) });
  const [ann, ben, eve] = [await of('ann'), await of('ben'), await of('eve')];
  await thin();
  expect(await keptOf(ann.id)).toEqual([2, 3, 4]);
  expect(await keptOf(ben.id)).toEqual([2, 4]);
  expect(await keptOf(eve.id)).toEqual([1, 2, 3, 4]);
});

test('bytes that no kept version has any more become unused', async () => {
  const [old, fresh] = ['0'.repeat(64), '1'.repeat(64)];
  await pool.query(
    `insert into attachments (user_id, sha256, bytes, content, is_stored, idle_since)
     select 'ann', unnest($1::text[]), 1, '', true, null`,
    [[old, fresh]],
  );
  await addWorkspace([
    { age: 40, changes: { a: old } },
    { age: 40, changes: { a: fresh } },
  ]);
  await thin();
  const { rows } = await pool.query(`select sha256 from attachments where idle_since is not null`);
  expect(rows).toEqual([{ sha256: old }]);
});

const anyChanges = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.option(fc.constantFrom('x', 'y', 'z')), {
  maxKeys: 3,
});
const anyHistory = fc
  .array(
    fc.record(
      { age: fc.integer({ min: 28, max: 34 }), item: fc.constantFrom('there', 'gone'), changes: anyChanges },
      { requiredKeys: ['age', 'changes'] },
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((versions): Version[] => versions.toSorted((one, other) => other.age - one.age));

test('the files of every kept version stay the same, in any order and size of removals', async () => {
  await fc.assert(
    fc.asyncProperty(anyHistory, fc.integer({ min: 1, max: 4 }), async (versions, atOnce) => {
      const id = await addWorkspace(versions);
      const before = await treesOf(id);
      for (let gone = 1; gone > 0; ) {
        const { rows } = await pool.query<{ gone: number }>(
          `select gone from thin_versions('00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff', 30, 500, $1)`,
          [atOnce],
        );
        gone = rows[0]?.gone ?? 0;
        for (const [version, tree] of await treesOf(id)) expect(tree).toEqual(before.get(version));
      }
      const isKept = ({ age, item }: Version, index: number) =>
        age < 30 || item === 'there' || versions[index + 1]?.age !== age;
      const expected = versions.flatMap((version, index) => (isKept(version, index) ? [index + 1] : []));
      const edge = new Set(versions.flatMap(({ age }, index) => (age === 30 ? [index + 1] : []))); // depends on the time of day
      const withoutEdge = (numbers: readonly number[]) => numbers.filter((number) => !edge.has(number));
      expect(withoutEdge(await keptOf(id))).toEqual(withoutEdge(expected));
    }),
    { numRuns: 60 },
  );
});
