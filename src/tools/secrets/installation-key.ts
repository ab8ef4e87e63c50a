import { OPERATOR, type UserId } from '#domain/principal.ts';
import { audited } from '#store/audit.ts';
import { type Database, type OwnedTransaction, withOwner } from '#store/connection.ts';
import { claimSetting, lockSetting, readSetting, writeSetting } from '#store/settings.ts';
import { findOwnersUnderOtherKeys } from '#store/tools/secrets.ts';
import type { KeyRing } from './key-ring.ts';

const SETTING = 'secrets_key';

/** This process has another key than the one that the installation's secrets are encrypted with. */
class SecretsKeyMismatch extends Error {
  override readonly name = 'SecretsKeyMismatch';
}

/**
 * The first key that stores something becomes the installation's. A process without it stores nothing, since the other
 * replicas could not read that, until no secret is left under a key it lacks.
 */
export async function claimInstallationKey(trx: OwnedTransaction, keys: KeyRing, actor: UserId): Promise<void> {
  await audited(
    trx,
    (claiming) => claimSetting(claiming, SETTING, { keyId: keys.current.id }),
    (isFirst) => (isFirst ? keyChange(keys, actor) : 'no right changed'),
  );
  if (isOurs(await readSetting(trx, SETTING), keys) && isOurs(await lockSetting(trx, SETTING, 'share'), keys)) return;

  const claimed = await lockSetting(trx, SETTING, 'update');
  if (isOurs(claimed, keys)) return;
  if (await hasSecretsUnderOtherKeys(trx, keys)) throw new SecretsKeyMismatch(explain(claimed, keys));

  await putKey(trx, keys, actor);
}

/** What is wrong with this process's key, in words for the log at the start. */
export async function findKeyProblem(db: Database, keys: KeyRing): Promise<string | undefined> {
  const claimed = await readSetting(db, SETTING);
  if (claimed === undefined || isOurs(claimed, keys)) return undefined;

  return (await hasSecretsUnderOtherKeys(db, keys)) ? explain(claimed, keys) : undefined;
}

export async function nameInstallationKey(db: Database, keys: KeyRing): Promise<void> {
  await withOwner(db, OPERATOR, (trx) => putKey(trx, keys, OPERATOR.userId));
}

async function putKey(trx: OwnedTransaction, keys: KeyRing, actor: UserId): Promise<void> {
  const put = { keyId: keys.current.id };
  await audited(trx, (writing) => writeSetting(writing, SETTING, put), keyChange(keys, actor));
}

const keyChange = (keys: KeyRing, actor: UserId) => ({
  actor,
  action: 'settings.change',
  subject: SETTING,
  detail: { keyId: keys.current.id },
});

async function hasSecretsUnderOtherKeys(db: Database, keys: KeyRing): Promise<boolean> {
  return (await findOwnersUnderOtherKeys(db, keys.ids, '', 1)).length > 0;
}

function explain(claimed: unknown, keys: KeyRing): string {
  return (
    `Stored secrets are encrypted with the key ${keyIdOf(claimed)}, but this process has ${keys.ids.join(' and ')}. ` +
    'Set SECRETS_KEY to the same value on every replica; if the other key is lost, remove the secrets it encrypted.'
  );
}

function isOurs(setting: unknown, keys: KeyRing): boolean {
  const keyId = keyIdOf(setting);
  return keyId !== undefined && keys.ids.includes(keyId);
}

function keyIdOf(setting: unknown): string | undefined {
  const { keyId } = (setting ?? {}) as { keyId?: unknown };
  return typeof keyId === 'string' ? keyId : undefined;
}
