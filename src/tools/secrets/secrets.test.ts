import { inspect } from 'node:util';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { withOwner } from '#store/connection.ts';
import { openMigratedDatabase } from '../../../test/support/migrated-database.ts';
import { createKeyRing } from './key-ring.ts';
import { createSecrets } from './secrets.ts';

const [OLD, NEW, THIRD] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2), Buffer.alloc(32, 3)];
const ann = { userId: 'ann' };
const bob = { userId: 'bob' };

let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
beforeAll(async () => {
  database = await openMigratedDatabase();
});
afterEach(async () => {
  await database.everything.query(`delete from secrets; delete from settings`);
});
afterAll(async () => {
  await database?.close();
});

const secretsWith = (current: Buffer, ...previous: Buffer[]) =>
  createSecrets({ db: database.db, keys: createKeyRing(current, ...previous) });
const rows = async () => (await database.everything.query('select * from secrets order by user_id, name')).rows;

test('a secret is found by its owner only', async () => {
  const secrets = secretsWith(OLD);
  await secrets.put(ann, 'weather_key', 'hunter2 ü🌧');

  expect((await secrets.find(ann, 'weather_key'))?.reveal()).toBe('hunter2 ü🌧');
  expect(await secrets.find(bob, 'weather_key')).toBeUndefined();
  expect(await secrets.find('everyone', 'weather_key')).toBeUndefined();
  expect(await secrets.find(ann, 'other')).toBeUndefined();
});

test('the newest value counts, and the row was made when the first was', async () => {
  const secrets = secretsWith(OLD);
  await secrets.put(ann, 'k', 'one');
  const [first] = await secrets.list(ann);
  await secrets.put(ann, 'k', 'two');
  const [second] = await secrets.list(ann);

  expect((await secrets.find(ann, 'k'))?.reveal()).toBe('two');
  expect(second?.createdAt).toEqual(first?.createdAt);
  expect(second?.updatedAt.getTime()).toBeGreaterThan(first?.updatedAt.getTime() ?? Number.NaN);
});

test("everyone's secret is used until the user has one", async () => {
  const secrets = secretsWith(OLD);
  await secrets.put('everyone', 'k', 'ours');
  await secrets.put(ann, 'k', 'mine');

  expect([
    (await secrets.find(ann, 'k'))?.reveal(),
    (await secrets.find(bob, 'k'))?.reveal(),
    await secrets.exists(bob, 'k'),
  ]).toEqual(['mine', 'ours', true]);

  expect([await secrets.remove(ann, 'k'), await secrets.remove(ann, 'k')]).toEqual([true, false]);
  expect((await secrets.find(ann, 'k'))?.reveal()).toBe('ours');
});

test("no user id gives access to everyone's secrets", async () => {
  const secrets = secretsWith(OLD);
  await secrets.put('everyone', 'k', 'ours');
  const [row] = await rows();

  for (const userId of [row.user_id, '']) {
    await expect(secrets.find({ userId }, 'k')).rejects.toThrow('is not a user');
    await expect(secrets.put({ userId }, 'k', 'theirs')).rejects.toThrow('is not a user');
    await expect(secrets.remove({ userId }, 'k')).rejects.toThrow('is not a user');
    await expect(secrets.list({ userId })).rejects.toThrow('is not a user');
  }
});

test('a list has names and dates, and nothing else', async () => {
  const secrets = secretsWith(OLD);
  const expiresAt = new Date(Date.now() + 60_000);
  await secrets.put(ann, 'b', 'hunter2');
  await secrets.put(ann, 'a', 'hunter2', { expiresAt });
  await secrets.put(bob, 'c', 'hunter2');

  const dates = { createdAt: expect.any(Date), updatedAt: expect.any(Date) };
  expect(await secrets.list(ann)).toEqual([
    { name: 'a', ...dates, expiresAt },
    { name: 'b', ...dates, expiresAt: null },
  ]);
});

test("an expired secret is none, and everyone's does not take its place unnoticed", async () => {
  const secrets = secretsWith(OLD);
  await secrets.put('everyone', 'k', 'ours');
  await secrets.put(ann, 'k', 'mine', { expiresAt: new Date(Date.now() - 1) });

  expect(await secrets.find(ann, 'k')).toBeUndefined();
  expect(await secrets.exists(ann, 'k')).toBe(false);
});

test('a value is in no print, no JSON, no error and no row', async () => {
  const secrets = secretsWith(OLD);
  await secrets.put(ann, 'k', 'hunter2');
  const found = await secrets.find(ann, 'k');
  const deep = { showHidden: true, depth: 9, getters: true };
  const prints = [`${String(found)} ${JSON.stringify({ found })}`, inspect({ found }, deep), inspect(secrets, deep)];

  expect(prints.join()).toContain('[secret]');
  expect(prints.join()).not.toContain('hunter2');
  expect((await rows()).map((row) => Buffer.from(row.ciphertext).includes('hunter2'))).toEqual([false]);
  const failure: unknown = await secretsWith(NEW)
    .find(ann, 'k')
    .catch((error: unknown) => error);
  expect(inspect(failure, deep)).toMatch(/SecretUnreadable/);
  expect(inspect(failure, deep)).not.toContain('hunter2');
});

test.each(['', 'a b', 'a:grant', 'a\0', '../a', 'x'.repeat(129), 'ключ'])('%j names no secret', async (name) => {
  const secrets = secretsWith(OLD);

  await expect(secrets.put(ann, name, 'v')).rejects.toThrow("can't name a secret");
  await expect(secrets.find(ann, name)).rejects.toThrow("can't name a secret");
  await expect(secrets.remove(ann, name)).rejects.toThrow("can't name a secret");
});

test.each([
  ['', 'is empty'],
  ['hunter2 \ud800', 'is not valid Unicode'],
  ['hunter2'.repeat(10_000), 'is longer than 64 KiB'],
])('a value that could not be given back is refused, and not shown', async (value, says) => {
  const failure: unknown = await secretsWith(OLD)
    .put(ann, 'k', value)
    .catch((error: unknown) => error);

  expect(failure).toMatchObject({ message: expect.stringContaining(says) });
  expect(inspect(failure)).not.toContain('hunter2');
});

describe('row-level security', () => {
  test('hides what a query forgot to ask for', async () => {
    const secrets = secretsWith(OLD);
    await secrets.put(ann, 'k', 'hunter2');
    await secrets.put('everyone', 'k', 'hunter2');
    const seen = (userId: string) =>
      withOwner(database.db, { userId }, async (trx) => (await sql`select * from secrets`.execute(trx)).rows.length);

    expect([await seen('ann'), await seen('bob'), await seen('')]).toEqual([1, 0, 0]);
    expect((await sql`select * from secrets`.execute(database.db)).rows).toEqual([]);
  });

  test('is open for the count of other keys only while it counts', async () => {
    await secretsWith(OLD).put(ann, 'k', 'hunter2');
    const seen = await database.db.connection().execute(async (connection) => {
      const owners = await sql`select owners_of_secrets_under_other_keys('{}', '', 9)`.execute(connection);
      const after = await sql`select * from secrets`.execute(connection);
      return [owners.rows.length, after.rows.length];
    });

    expect(seen).toEqual([1, 0]);
  });
});

describe('a process with another key', () => {
  test('stores nothing while secrets are there that it cannot read, and says what to do', async () => {
    await secretsWith(OLD).put(ann, 'k', 'hunter2');
    const stranger = secretsWith(NEW);

    await expect(stranger.put(bob, 'k', 'v')).rejects.toThrow(/Set SECRETS_KEY to the same value on every replica/);
    expect(await stranger.findKeyProblem()).toMatch(/Set SECRETS_KEY/);
    expect(await secretsWith(OLD).findKeyProblem()).toBeUndefined();
    expect(await rows()).toHaveLength(1);
  });

  test('takes over when nothing is left under the lost key', async () => {
    await secretsWith(OLD).put(ann, 'k', 'hunter2');
    const stranger = secretsWith(NEW);
    await stranger.remove(ann, 'k');

    expect(await stranger.findKeyProblem()).toBeUndefined();
    await stranger.put(bob, 'k', 'v');
    await expect(secretsWith(OLD).put(ann, 'k', 'v')).rejects.toThrow('SECRETS_KEY');
  });

  const storeAtOnce = async () => {
    const strangers = Array.from({ length: 8 }, (_, index) => secretsWith(Buffer.alloc(32, index)));
    await Promise.allSettled(strangers.map((secrets, index) => secrets.put({ userId: `user-${index}` }, 'k', 'v')));
    return (await database.everything.query('select distinct key_id from secrets')).rows.length;
  };

  test('of several that store the first secret at once, one key wins', async () => {
    expect(await storeAtOnce()).toBe(1);
  });

  test('of several that take over from a lost key at once, one key wins', async () => {
    await database.everything.query(`insert into settings (name, value) values ('secrets_key', '{"keyId":"lost"}')`);

    expect(await storeAtOnce()).toBe(1);
  });
});

describe('a rotation', () => {
  test("moves every owner's secrets to the new key, and leaves their dates", async () => {
    const before = secretsWith(OLD);
    const expiresAt = new Date(Date.now() + 60_000);
    await before.put(ann, 'a', '1', { expiresAt });
    await before.put(ann, 'b', '2');
    await before.put('everyone', 'a', '3');
    const [dates] = await before.list(ann);

    expect(await secretsWith(NEW, OLD).rotate()).toEqual({ rotated: 3, unreadable: 0 });

    const after = secretsWith(NEW);
    expect([
      (await after.find(ann, 'a'))?.reveal(),
      (await after.find(ann, 'b'))?.reveal(),
      (await after.find(bob, 'a'))?.reveal(),
    ]).toEqual(['1', '2', '3']);
    expect((await after.list(ann))[0]).toEqual(dates);
    expect(await secretsWith(NEW, OLD).rotate()).toEqual({ rotated: 0, unreadable: 0 });
    await expect(before.put(ann, 'a', 'late')).rejects.toThrow('SECRETS_KEY');
  });

  test('continues after a secret that it cannot read', async () => {
    await secretsWith(OLD).put(ann, 'b', '1');
    await secretsWith(OLD).put(bob, 'a', '2');
    await database.everything.query(
      `insert into secrets (user_id, name, ciphertext, key_id) values ('ann', 'a', 'junk', 'lost')`,
    );

    expect(await secretsWith(NEW, OLD).rotate()).toEqual({ rotated: 2, unreadable: 1 });
    expect((await secretsWith(NEW).find(bob, 'a'))?.reveal()).toBe('2');
  });

  test('is finished by the next process, and two at once process each secret once', async () => {
    const before = secretsWith(OLD);
    for (let index = 0; index < 40; index++) await before.put({ userId: `user-${index}` }, 'k', String(index));

    const both = await Promise.all([secretsWith(NEW, OLD).rotate(), secretsWith(NEW, OLD).rotate()]);

    expect(both[0].rotated + both[1].rotated).toBe(40);
    expect((await secretsWith(NEW).find({ userId: 'user-39' }, 'k'))?.reveal()).toBe('39');
  });

  test('never undoes a write that comes between', async () => {
    const before = secretsWith(OLD);
    for (let index = 0; index < 30; index++) await before.put(ann, `k${index}`, 'old');
    const during = secretsWith(NEW, OLD);
    const writes = Array.from({ length: 30 }, (_, index) => during.put(ann, `k${29 - index}`, 'new'));

    await Promise.all([during.rotate(), ...writes]);

    const values = await Promise.all(writes.map((_, index) => secretsWith(NEW).find(ann, `k${index}`)));
    expect(new Set(values.map((value) => value?.reveal()))).toEqual(new Set(['new']));
  });

  test('after another one needs only the key in between', async () => {
    await secretsWith(OLD).put(ann, 'k', 'v');
    await secretsWith(NEW, OLD).rotate();
    await secretsWith(THIRD, NEW).rotate();

    expect((await secretsWith(THIRD).find(ann, 'k'))?.reveal()).toBe('v');
  });
});
