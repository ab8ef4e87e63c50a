import type { Database } from '#store/connection.ts';
import { createKeyRing } from './key-ring.ts';
import { createKeyring } from './keyring.ts';
import { type ProvisionedKey, provisionSecretsKey } from './provision-key.ts';
import { createSealedTexts, type SealedTexts } from './sealed-text.ts';
import { createSecrets, type Secrets } from './secrets.ts';

export type SecretsSettings = {
  readonly secretsKey: Buffer | undefined;
  readonly secretsKeyPrevious: Buffer | undefined;
  readonly home: string;
};

/** The secrets of this installation; the service and the commands open them in this one way. */
export async function openSecrets(db: Database, settings: SecretsSettings): Promise<OpenSecrets> {
  const { secretsKey: setting, secretsKeyPrevious, home } = settings;
  const key = await provisionSecretsKey({ setting, home, keyring: createKeyring() });
  const keys = createKeyRing(key.key, secretsKeyPrevious);
  return {
    key,
    keyId: keys.current.id,
    secrets: createSecrets({ db, keys }),
    summaries: createSealedTexts(keys, 'summary'),
    shareLinks: createSealedTexts(keys, 'share link'),
  };
}

export type OpenSecrets = {
  readonly key: ProvisionedKey;
  /** The name of the key, which is made from it. */
  readonly keyId: string;
  readonly secrets: Secrets;
  /** The summaries that callers of compaction keep. */
  readonly summaries: SealedTexts;
  /** The links of shared threads, which their owners copy again. */
  readonly shareLinks: SealedTexts;
};
