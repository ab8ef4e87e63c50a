import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ArchivedFile } from '#database/archive/archive-format.ts';
import { createKeyring } from '#tools/secrets/keyring.ts';
import { provisionSecretsKey } from '#tools/secrets/provision-key.ts';

/** What a home holds besides the database: the settings, the operator's token, and the key of the secrets. */
const CARRIED = ['settings.env', 'webui-token', 'secrets-key'];

/** A key that this machine's keyring keeps is written out, since no other machine could ask for it. */
export async function readHomeFiles(home: string): Promise<ArchivedFile[]> {
  const files: ArchivedFile[] = [];
  for (const file of CARRIED) {
    const content = await readIfThere(path.join(home, file));
    if (content !== undefined) files.push({ file, content });
  }
  return Promise.all(files.map(async (found) => (found.file === 'secrets-key' ? await writeOutKey(home) : found)));
}

/** Throws if one is there already and says something else: it may belong to another installation. */
export async function checkHomeFiles(home: string, files: readonly ArchivedFile[]): Promise<void> {
  for (const { file, content } of files) {
    if (!CARRIED.includes(file)) throw new Error(`The archive has a file "${file}", which no home holds.`);
    const present = await readIfThere(path.join(home, file));
    if (present !== undefined && present !== content)
      throw new Error(
        `${path.join(home, file)} exists and differs from the one in the backup. ` +
          'Move it away, or name another home in REBORN_HOME.',
      );
  }
}

export async function writeHomeFiles(home: string, files: readonly ArchivedFile[]): Promise<void> {
  for (const { file, content } of files) await writeFile(path.join(home, file), content, { mode: 0o600, flush: true });
}

async function writeOutKey(home: string): Promise<ArchivedFile> {
  const { key } = await provisionSecretsKey({ setting: undefined, home, keyring: createKeyring() });
  return { file: 'secrets-key', content: `${key.toString('hex')}\n` };
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
