import { sql } from 'kysely';
import type { AssistantId } from '#domain/ids.ts';
import type { Assistant, AssistantVersion, TurnAssistant } from '#domain/work/assistant.ts';
import { USUAL_SETTINGS, type WorkSettings } from '#domain/work/work-settings.ts';
import type { Audited } from '../audit.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';
import { EVERYONE } from '../tools/skills.ts';

/** The owner's and the shared ones, by name. */
export async function listAssistants(trx: OwnedTransaction, owner: Owner): Promise<Assistant[]> {
  const rows = await usable(trx, owner).orderBy('name').orderBy('assistants.userId', 'desc').execute();
  return rows.map(withAllSettings);
}

/** One that the owner may use: their own, or a shared one. */
export async function findAssistant(
  trx: OwnedTransaction,
  owner: Owner,
  id: AssistantId,
): Promise<Assistant | undefined> {
  const row = await usable(trx, owner).where('id', '=', id).executeTakeFirst();
  return row && withAllSettings(row);
}

/** The owner's own one of this name, or else the shared one. */
export async function findByName(trx: OwnedTransaction, owner: Owner, name: string): Promise<Assistant | undefined> {
  const rows = await usable(trx, owner).where('name', '=', name).execute();
  const row = rows.find(({ userId }) => userId !== EVERYONE.userId) ?? rows[0];
  return row && withAllSettings(row);
}

/** A version that a turn names. It stays while the turn does, also after its assistant was deleted. */
export async function findVersion(
  trx: OwnedTransaction,
  owner: Owner,
  { id, version }: Pick<TurnAssistant, 'id' | 'version'>,
): Promise<AssistantVersion | undefined> {
  const row = await trx
    .selectFrom('assistantVersions')
    .select(VERSION)
    .where('assistant', '=', id)
    .where('version', '=', version)
    .where('userId', 'in', [owner.userId, EVERYONE.userId])
    .executeTakeFirst();
  return row && withAllSettings(row);
}

/** Newest first. */
export async function listVersions(trx: OwnedTransaction, owner: Owner, id: AssistantId): Promise<AssistantVersion[]> {
  const rows = await trx
    .selectFrom('assistantVersions')
    .select(VERSION)
    .where('assistant', '=', id)
    .where('userId', 'in', [owner.userId, EVERYONE.userId])
    .orderBy('version', 'desc')
    .limit(MOST_VERSIONS)
    .execute();
  return rows.map(withAllSettings);
}

const MOST_VERSIONS = 100;

/** Holds the owner's own assistant until the transaction ends. */
export async function lockAssistant(
  trx: OwnedTransaction,
  owner: Owner,
  id: AssistantId,
): Promise<Assistant | undefined> {
  const row = await usable(trx, owner)
    .where('id', '=', id)
    .where('assistants.userId', '=', owner.userId)
    .forNoKeyUpdate('assistants')
    .executeTakeFirst();
  return row && withAllSettings(row);
}

export type Draft = Pick<AssistantVersion, 'description' | 'settings' | 'writtenBy'>;

/** Returns false when the owner has one of this name. */
export async function insertAssistant(
  trx: Audited<OwnedTransaction>,
  owner: Owner,
  { id, name }: Pick<Assistant, 'id' | 'name'>,
  draft: Draft,
): Promise<boolean> {
  const inserted = await trx
    .insertInto('assistants')
    .values({ id, userId: owner.userId, name, version: 1 })
    .onConflict((known) => known.columns(['userId', 'name']).where('deletedAt', 'is', null).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (inserted) await insertVersion(trx, owner, { id, version: 1 }, draft);
  return inserted !== undefined;
}

/** Writes the next version of a locked assistant. */
export async function writeVersion(
  trx: Audited<OwnedTransaction>,
  owner: Owner,
  next: Pick<TurnAssistant, 'id' | 'version'>,
  draft: Draft,
): Promise<void> {
  await insertVersion(trx, owner, next, draft);
  await trx
    .updateTable('assistants')
    .set({ version: next.version })
    .where('id', '=', next.id)
    .where('userId', '=', owner.userId)
    .execute();
}

/** Its row goes when no turn names it any more. Returns false when there was none. */
export async function deleteAssistant(trx: Audited<OwnedTransaction>, owner: Owner, id: AssistantId): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('assistants')
    .set({ deletedAt: sql<Date>`now()` })
    .where('id', '=', id)
    .where('userId', '=', owner.userId)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

async function insertVersion(
  trx: Audited<OwnedTransaction>,
  owner: Owner,
  { id, version }: Pick<TurnAssistant, 'id' | 'version'>,
  { description, settings, writtenBy }: Draft,
): Promise<void> {
  await trx
    .insertInto('assistantVersions')
    .values({
      assistant: id,
      version,
      userId: owner.userId,
      description,
      settings: JSON.stringify(settings),
      writtenBy,
    })
    .execute();
}

const usable = (trx: OwnedTransaction, owner: Owner) =>
  trx
    .selectFrom('assistants')
    .innerJoin('assistantVersions', (join) =>
      join
        .onRef('assistantVersions.assistant', '=', 'assistants.id')
        .onRef('assistantVersions.version', '=', 'assistants.version'),
    )
    .select(['id', 'assistants.userId', 'name', 'createdAt', ...VERSION])
    .where('assistants.userId', 'in', [owner.userId, EVERYONE.userId])
    .where('deletedAt', 'is', null);

const VERSION = ['assistantVersions.version', 'description', 'settings', 'writtenBy', 'writtenAt'] as const;

/** A setting that is newer than the row has its usual value. */
const withAllSettings = <Row extends { readonly settings: WorkSettings }>(row: Row): Row => ({
  ...row,
  settings: { ...USUAL_SETTINGS, ...row.settings },
});
