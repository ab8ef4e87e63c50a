import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ChatAccountId, newId } from '#domain/ids.ts';
import { openMigratedDatabase } from '../../../../test/support/migrated-database.ts';
import { createLinking } from './linking.ts';

let database: Awaited<ReturnType<typeof openMigratedDatabase>>;

beforeAll(async () => {
  database = await openMigratedDatabase();
});
afterAll(() => database.close());

test('a removed link is recorded once, also when it is removed again', async () => {
  const { db, everything } = database;
  const accountId = newId<ChatAccountId>();
  await everything.query(
    `insert into chat_accounts (id, channel, remote_id, name, mode, groups) values ($1, 'telegram', 'bot', 'bot', 'polling', false)`,
    [accountId],
  );
  await everything.query(
    `insert into chat_links (account_id, sender, user_id, name, chat) values ($1, '7', 'ann', 'Ann', '7')`,
    [accountId],
  );
  const linking = createLinking({ db, system: everything });
  const link = { accountId, sender: '7' };

  expect(await linking.unlink({ userId: 'bob' }, link)).toBe(false);
  expect(await linking.unlink({ userId: 'ann' }, link)).toBe(true);
  expect(await linking.unlink({ userId: 'ann' }, link)).toBe(false);

  const { rows } = await everything.query(`select actor from audit where action = 'chat.unlink'`);
  expect(rows).toEqual([{ actor: 'ann' }]);
});
