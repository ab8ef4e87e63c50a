import { createHash, randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseUnavailable } from '../../database-unavailable.ts';
import { findServerUser, isOpenTo, requireUserName, type ServerUser } from './server-user.ts';

type DataFolder = { area: string; user: ServerUser | undefined };

const SHARED = '/var/lib/reborn';

/** Which folder holds the data, and which user runs the server there. Existing data is always found again. */
export async function chooseDataFolder(home: string): Promise<DataFolder> {
  if (process.getuid?.() !== 0) {
    requireUserName();
    return { area: home, user: undefined };
  }
  const existing = await findExistingFor(home);
  if (existing) return existing;
  const user = await findServerUser();
  return { area: (await isOpenTo(user, home)) ? home : await makeSharedArea(home), user };
}

/** The folder with the database of `home`; undefined when there is none yet. Changes nothing. */
export async function findData(home: string): Promise<string | undefined> {
  const folder = await realpath(home).catch(() => undefined);
  const found = folder === undefined ? undefined : ((await findExisting(folder)) ?? (await findShared(folder))?.found);
  return found && dataIn(found.area);
}

async function findExistingFor(home: string): Promise<DataFolder | undefined> {
  const inHome = await findExisting(home);
  if (inHome) return inHome;
  const shared = await findShared(home);
  if (!shared) return undefined;
  if (shared.isOfEarlierVersion) await tieToHome(shared.found.area, home);
  await makeReachable(shared.found.area);
  return shared.found;
}

type SharedData = { readonly found: DataFolder; readonly isOfEarlierVersion: boolean };

/**
 * Data outside the home belongs to the id that is stored in the home, so that a home which was deleted and made again gets
 * a new database. Earlier versions had no id: their data belongs to the first home at its path.
 */
async function findShared(home: string): Promise<SharedData | undefined> {
  const id = await readId(home);
  const own = id && (await findExisting(sharedArea(home, id)));
  if (own) return { found: own, isOfEarlierVersion: false };
  const earlier = sharedArea(home);
  const owner = await readId(earlier);
  const found = owner === undefined || owner === id ? await findExisting(earlier) : undefined;
  return found && { found, isOfEarlierVersion: owner === undefined };
}

/** The home gets its id first: if this is interrupted in between, the data is still found. */
async function tieToHome(area: string, home: string): Promise<void> {
  await writeId(area, (await readId(home)) ?? (await writeId(home, newId())));
}

async function makeSharedArea(home: string): Promise<string> {
  const area = sharedArea(home, (await readId(home)) ?? (await writeId(home, newId())));
  await makeReachable(area);
  return area;
}

/** The part that all databases of one path have in common shows which ones an operator may delete. */
function sharedArea(home: string, id?: string): string {
  const hash = createHash('sha256').update(home).digest('hex').slice(0, 16);
  return path.join(SHARED, id === undefined ? hash : `${hash}-${id}`);
}

const newId = () => randomBytes(4).toString('hex');
const idFile = (folder: string) => path.join(folder, 'postgres-18.id');

async function readId(folder: string): Promise<string | undefined> {
  const id = (await readFile(idFile(folder), 'utf8').catch(() => '')).trim();
  return /^[0-9a-f]{8}$/.test(id) ? id : undefined;
}

async function writeId(folder: string, id: string): Promise<string> {
  await writeFile(idFile(folder), `${id}\n`, { mode: 0o600, flush: true });
  return id;
}

const dataIn = (area: string) => path.join(area, 'postgres-18');

async function findExisting(area: string): Promise<DataFolder | undefined> {
  const data = dataIn(area);
  const owner = await stat(path.join(data, 'PG_VERSION')).catch(() => undefined);
  if (!owner) return undefined;
  const user = { uid: owner.uid, gid: owner.gid };
  if (await isOpenTo(user, data)) return { area, user };
  throw new DatabaseUnavailable(
    `The data in ${data} belongs to user ${user.uid}, who can no longer access it. ` +
      `Allow access to every parent folder (chmod o+x), or set DATABASE_URL.`,
  );
}

/** Root keeps ownership of the folder, so that the server's user can't replace anything in it. */
async function makeReachable(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await chmod(path.dirname(folder), 0o755);
  await chmod(folder, 0o755);
}
