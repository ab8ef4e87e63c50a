import { createHash } from 'node:crypto';
import { chmod, mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseUnavailable } from '../../database-unavailable.ts';
import { findServerUser, isOpenTo, requireUserName, type ServerUser } from './server-user.ts';

type DataFolder = { area: string; user: ServerUser | undefined };

/** Which folder holds the data, and which user runs the server there. Existing data is always found again. */
export async function chooseDataFolder(home: string): Promise<DataFolder> {
  if (process.getuid?.() !== 0) {
    requireUserName();
    return { area: home, user: undefined };
  }
  const shared = path.join('/var/lib/reborn', createHash('sha256').update(home).digest('hex').slice(0, 16));
  const chosen = (await findExisting(home)) ?? (await findExisting(shared)) ?? (await chooseNew(home, shared));
  if (chosen.area === shared) await makeReachable(shared);
  return chosen;
}

async function findExisting(area: string): Promise<DataFolder | undefined> {
  const data = path.join(area, 'postgres-18');
  const owner = await stat(path.join(data, 'PG_VERSION')).catch(() => undefined);
  if (!owner) return undefined;

  const user = { uid: owner.uid, gid: owner.gid };
  if (await isOpenTo(user, data)) return { area, user };
  throw new DatabaseUnavailable(
    `The data in ${data} belongs to user ${user.uid}, who can no longer access it. ` +
      `Allow access to every parent folder (chmod o+x), or set DATABASE_URL.`,
  );
}

async function chooseNew(home: string, shared: string): Promise<DataFolder> {
  const user = await findServerUser();
  return { area: (await isOpenTo(user, home)) ? home : shared, user };
}

/** Root keeps ownership of the folder, so that the server's user can't replace anything in it. */
async function makeReachable(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await chmod(path.dirname(folder), 0o755);
  await chmod(folder, 0o755);
}
