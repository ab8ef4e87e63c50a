import type { Config } from '#config/config.ts';
import type { User } from '#domain/user.ts';
import { findUsersCalled } from '#store/accounts/users.ts';
import type { Database } from '#store/connection.ts';
import { connectIdentities, type IdentityDatabase } from '#store/identity-connection.ts';
import { type OpenedDatabase, withDatabase } from './with-database.ts';

export type Desk = {
  readonly config: Config;
  readonly db: Database;
  readonly connection: OpenedDatabase['connection'];
  readonly identities: IdentityDatabase;
  /** Like `getUser`, but also finds removed users, unless a current one matches. */
  readonly findErasable: (called: string) => Promise<User>;
  /** Finds a user by ID, email or name. Throws when none or several match, and says what to do. */
  readonly getUser: (called: string) => Promise<User>;
};

/** Does something with users directly on the database; the service need not run, but may. */
export function withAccounts(act: (desk: Desk) => Promise<void>): Promise<void> {
  return withDatabase(async ({ config, connection, db }) => {
    await using undo = new AsyncDisposableStack();
    const identities = connectIdentities(connection, () => {}); // a cut line fails the query, which reports it
    undo.defer(() => identities.destroy());
    await act({
      config,
      db,
      connection,
      identities,
      findErasable: async (called) => {
        const current = await findUsersCalled(identities, called);
        return only(
          called,
          current.length > 0 ? current : await findUsersCalled(identities, called, { removed: true }),
        );
      },
      getUser: async (called) => only(called, await findUsersCalled(identities, called)),
    });
  });
}

function only(called: string, users: readonly User[]): User {
  const [user, ...more] = users;
  if (!user) throw new Error(`The user "${called}" does not exist. \`reborn user list\` shows all users.`);
  if (more.length > 0) throw new Error(`Several users are called "${called}". Use an id from \`reborn user list\`.`);
  return user;
}
