import { sql } from 'kysely';
import { NO_PREFERENCES, type Preferences } from '#domain/preferences.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';

export async function findPreferences(trx: OwnedTransaction, owner: Owner): Promise<Preferences> {
  const found = await trx
    .selectFrom('preferences')
    .select(['defaultModel', 'generateTitles', 'whenBusy', 'remembers'])
    .where('userId', '=', owner.userId)
    .executeTakeFirst();
  return found ?? NO_PREFERENCES;
}

export async function changePreferences(
  trx: OwnedTransaction,
  owner: Owner,
  change: Partial<Preferences>,
): Promise<void> {
  const changed = { ...change, updatedAt: sql<Date>`now()` };
  await trx
    .insertInto('preferences')
    .values({ userId: owner.userId, ...change })
    .onConflict((conflict) => conflict.column('userId').doUpdateSet(changed))
    .execute();
}
