import { InvalidRequest } from '#domain/errors.ts';
import type { UserId } from '#domain/principal.ts';
import type { User } from '#domain/user.ts';
import { findNames, findUsersCalled } from '#store/accounts/users.ts';
import type { IdentityDatabase } from '#store/identity-connection.ts';

export type People = ReturnType<typeof createPeople>;

/** The users of the installation, as one of them names another. No one can list them this way. */
export function createPeople(db: IdentityDatabase) {
  return {
    /** By id, email or name, which must be exact. */
    async getByName(called: string): Promise<User> {
      const [found, ...others] = await findUsersCalled(db, called.trim());
      if (!found) throw refuse(`Nobody here is called "${called}". Give the exact name or email address.`);
      if (others.length > 0) throw refuse(`More than one person is called "${called}". Give the email address.`);
      return found;
    },

    /** Also of removed users; those who were erased have none. */
    namesOf: (ids: readonly UserId[]): Promise<ReadonlyMap<UserId, string>> => findNames(db, ids),
  };
}

const refuse = (message: string) => new InvalidRequest('invalid_request', 'person', message);
