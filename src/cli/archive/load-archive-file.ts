import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type Config, readConfig } from '#config/config.ts';
import { makeHome } from '#config/home-folder.ts';
import type { ArchivedFile, TableSum } from '#database/archive/archive-format.ts';
import { type Archive, BrokenArchive, readArchive } from '#database/archive/read-archive.ts';
import { restoreArchive } from '#database/archive/restore-archive.ts';
import { MIGRATIONS } from '#database/migrate.ts';
import { openDatabase } from '#database/open-database.ts';
import { connectStore } from '#store/connection.ts';
import { openSecrets } from '#tools/secrets/open-secrets.ts';
import { checkHomeFiles, writeHomeFiles } from '../setup/home-files.ts';

export type LoadOptions = {
  readonly file: string;
  /** Whether the home's files are put back, too. */
  readonly withHome: boolean;
  readonly onTable: (table: string, sum: TableSum) => void;
};
export type Loaded = {
  readonly config: Config;
  readonly files: readonly ArchivedFile[];
  /** What keeps the secrets from being read here. */
  readonly keyProblem: string | undefined;
};

/** Fills the database that the settings name from an archive. It must be empty. */
export async function loadArchiveFile({ file, withHome, onTable }: LoadOptions): Promise<Loaded> {
  const config = readConfig();
  const archive = await openArchive(file);
  const files = withHome ? archive.files : [];
  await makeHome(config.home);
  await checkHomeFiles(config.home, files);

  await using undo = new AsyncDisposableStack();
  const database = await openDatabase({ url: config.databaseUrl, home: config.home });
  undo.defer(() => database.close());
  const { connection } = database;
  const beforeCommit = () => writeHomeFiles(config.home, files);
  await restoreArchive({ connection, migrations: MIGRATIONS, archive, onTable, beforeCommit });

  const db = connectStore(connection, () => {}); // a cut line fails the query, which reports it
  undo.defer(() => db.destroy());
  const { secrets } = await openSecrets(db, config);
  return { config, files, keyProblem: await secrets.findKeyProblem() };
}

/** The archive in `file`, or on the standard input for `-`. */
function openArchive(file: string): Promise<Archive> {
  const packed = file === '-' ? process.stdin : createReadStream(file);
  const text = createGunzip();
  pipeline(packed, text, () => {}); // the reader gets the error
  return readArchive(explained(text, file));
}

async function* explained(text: AsyncIterable<Buffer>, file: string): AsyncGenerator<Buffer> {
  try {
    yield* text;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new Error(`The file ${file} does not exist.`, { cause: error });
    if (!code?.startsWith('Z_')) throw error;
    throw new BrokenArchive(`${file} is not a complete archive (${code}). Use another copy of it.`, { cause: error });
  }
}
