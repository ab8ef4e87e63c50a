import { InvalidRequest } from '#domain/errors.ts';
import type { Preferences } from '#domain/preferences.ts';
import type { Principal } from '#domain/principal.ts';
import { DEFAULT } from '#models/model-routes.ts';
import { changePreferences, findPreferences } from '#store/accounts/preferences.ts';
import { type Database, withOwner } from '#store/connection.ts';
import type { ModelSettings } from './administration/models/model-settings.ts';

export type UserPreferences = ReturnType<typeof createPreferences>;

/** What a user has chosen for themselves. */
export function createPreferences(db: Database, settings: Pick<ModelSettings, 'readRoutes'>) {
  return {
    read: (owner: Principal): Promise<Preferences> => withOwner(db, owner, (trx) => findPreferences(trx, owner)),

    async change(owner: Principal, change: Partial<Preferences>): Promise<void> {
      const { defaultModel } = change;
      if (
        typeof defaultModel === 'string' &&
        defaultModel !== DEFAULT &&
        !Object.hasOwn(await settings.readRoutes(), defaultModel)
      )
        throw new InvalidRequest(
          'invalid_request',
          'default_model',
          'This model does not exist. Choose one of GET /api/models.',
        );
      await withOwner(db, owner, (trx) => changePreferences(trx, owner, change));
    },
  };
}
