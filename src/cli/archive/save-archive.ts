import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Config, readConfig } from '#config/config.ts';
import type { ArchivedFile, TableSum } from '#database/archive/archive-format.ts';
import { writeArchive } from '#database/archive/write-archive.ts';
import { openDatabase } from '#database/open-database.ts';
import { connectEngineClient } from '#engine/engine-connection.ts';
import { openIdentities } from '#store/identity-connection.ts';
import { countObjects } from '#store/system/bucket-objects.ts';
import packageJson from '../../../package.json' with { type: 'json' };

export type SaveOptions = {
  readonly file: string;
  /** Write over a file that is there. */
  readonly force: boolean;
  readonly readFiles: (config: Config) => Promise<readonly ArchivedFile[]>;
  readonly onTable: (table: string, sum: TableSum) => void;
};

export type Saved = {
  readonly files: readonly ArchivedFile[];
  /** A warning about attachments in a bucket, which an archive does not contain; empty without them. */
  readonly notice: string;
};

/** Writes everything to `file`, or to the standard output for `-`. The service need not run, but may. */
export async function saveArchive({ file, force, readFiles, onTable }: SaveOptions): Promise<Saved> {
  const config = readConfig();
  if (config.databaseUrl === undefined && !existsSync(config.home))
    throw new Error(`The home ${config.home} does not exist. Set REBORN_HOME to the one to save.`);
  if (file !== '-' && !force && existsSync(file))
    throw new Error(`${file} exists. Choose another name, or add --force to write over it.`);

  await using undo = new AsyncDisposableStack();
  const files = await readFiles(config);
  const database = await openDatabase({ url: config.databaseUrl, home: config.home });
  undo.defer(() => database.close());
  const client = await connectEngineClient(database.connection, () => {}); // a cut line fails the query, which reports it
  undo.defer(() => client.end());
  await openIdentities(client);

  const text = writeArchive(client, { reborn: packageJson.version, files, onTable });
  const write = (sink: Writable) => pipeline(Readable.from(text), createGzip({ level: 4 }), sink);
  if (file === '-') await write(process.stdout);
  else await writeWhole(file, write);
  const objects = await countObjects(client);
  return {
    files,
    notice: objects > 0 ? ` Attachments in the bucket (${objects}) are not in it: copy the bucket, too.` : '',
  };
}

/** A file of this name is always complete, and readable by its owner only. */
async function writeWhole(file: string, write: (sink: Writable) => Promise<void>): Promise<void> {
  const draft = path.join(path.dirname(file), `.${path.basename(file)}-${randomBytes(4).toString('hex')}`);
  const handle = await open(draft, 'wx', 0o600);
  try {
    await write(handle.createWriteStream({ flush: true }));
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
