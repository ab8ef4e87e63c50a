// @module-tag slow
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OPERATOR, type Principal } from '#domain/principal.ts';
import { connectIdentities, type IdentityDatabase } from '#store/identity-connection.ts';
import { openMigratedDatabase } from '../../test/support/migrated-database.ts';
import { createAccounts } from './accounts.ts';
import { createInvitations } from './invitations.ts';

let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
let identities: IdentityDatabase;

beforeAll(async () => {
  database = await openMigratedDatabase();
  identities = connectIdentities(database.connection, () => {});
});

afterAll(async () => {
  await identities.destroy();
  await database.close();
});

test('an operator who has just lost the role can not regain it on a replica that has not noticed yet', async () => {
  const accounts = createAccounts(identities);
  const eve = await accounts.addUser(OPERATOR, { name: 'Eve', email: null, role: 'operator' });
  const bob = await accounts.addUser(OPERATOR, { name: 'Bob', email: null, role: 'operator' });
  const stale: Principal = { userId: eve.id, role: 'operator' };
  await accounts.changeUser(OPERATOR, eve.id, { role: 'member' });

  const refused = { code: 'operator_only' };
  await expect(accounts.changeUser(stale, eve.id, { role: 'operator' })).rejects.toMatchObject(refused);
  await expect(accounts.addUser(stale, { name: 'Eve II', email: null, role: 'operator' })).rejects.toMatchObject(
    refused,
  );
  await expect(accounts.createToken(stale, bob.id, { name: 'x', expiresAt: null })).rejects.toMatchObject(refused);
  const invitations = createInvitations(identities);
  await expect(invitations.create(stale, { role: 'operator', name: null })).rejects.toMatchObject(refused);
  expect(await invitations.list(OPERATOR)).toEqual([]);
});
