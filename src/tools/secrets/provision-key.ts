import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Keyring } from './keyring.ts';

export type ProvisionedKey = { readonly key: Buffer; readonly source: 'setting' | 'keyring' | 'file' };

type Options = { readonly setting: Buffer | undefined; readonly home: string; readonly keyring: Keyring };

/**
 * The key that encrypts secrets: the one that was set, or else one that is made once for this home. The file
 * `secrets-key` holds it, or says that the keyring does. So the choice, once made, stays: a start without a desktop
 * does not make a second key.
 */
export async function provisionSecretsKey({ setting, home, keyring }: Options): Promise<ProvisionedKey> {
  if (setting) return { key: setting, source: 'setting' };

  const file = path.join(home, 'secrets-key');
  const content = (await readIfThere(file)) ?? (await makeKey(home, file, keyring));
  if (content.startsWith(IN_KEYRING)) {
    return { key: await getFromKeyring(keyring, content.slice(IN_KEYRING.length), file), source: 'keyring' };
  }
  if (!/^[0-9a-f]{64}$/.test(content)) throw new Error(`${file} holds no key. Restore it, or set SECRETS_KEY.`);
  return { key: Buffer.from(content, 'hex'), source: 'file' };
}

/** Words for the log when other replicas on the same database would not have this key. */
export function warnOfLocalKey({ source }: ProvisionedKey, database: 'embedded' | 'external'): string | undefined {
  if (source === 'setting' || database === 'embedded') return undefined;

  return (
    `The key that encrypts secrets is kept on this machine only (${source}), but the database is shared. ` +
    'Set SECRETS_KEY to the same value on every replica; make one with `openssl rand -hex 32`.'
  );
}

const IN_KEYRING = 'keyring:';

/** Of several that start together one wins, and all of them read what it wrote. */
async function makeKey(home: string, file: string, keyring: Keyring): Promise<string> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  const account = randomBytes(8).toString('hex'); // each has its own, so none writes over the winner's
  const inKeyring = await keyring.make(account).then(
    () => true,
    () => false,
  );
  const content = inKeyring ? `${IN_KEYRING}${account}` : randomBytes(32).toString('hex');
  const won = await linkIntoPlace(home, file, `${content}\n`);
  if (!won && inKeyring) await keyring.forget(account).catch(() => {}); // an unused entry does no harm
  return won ? content : (await readFile(file, 'utf8')).trim();
}

async function linkIntoPlace(home: string, file: string, content: string): Promise<boolean> {
  const draft = path.join(home, `.secrets-key-${process.pid}-${randomBytes(4).toString('hex')}`);
  await writeFile(draft, content, { mode: 0o600, flush: true });
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  } finally {
    await rm(draft);
  }
}

async function getFromKeyring(keyring: Keyring, account: string, file: string): Promise<Buffer> {
  try {
    return await keyring.get(account);
  } catch (error) {
    const told = error instanceof Error ? error.message : String(error);
    throw new Error(
      `The key for secrets is in this machine's keyring (as ${file} says), which does not give it out (${told}). ` +
        'Start from a session that has the keyring unlocked, or set SECRETS_KEY.',
      { cause: error },
    );
  }
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
