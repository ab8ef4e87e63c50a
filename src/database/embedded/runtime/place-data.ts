import { createHash } from 'node:crypto';
import { chmod, mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseUnavailable } from '../../database-unavailable.ts';
import { findServerUser, isOpenTo, requireUserName, type ServerUser } from './server-user.ts';

type Place = { area: string; user: ServerUser | undefined };

/** Which folder holds the data, and who runs the server there. Data once made are always found again. */
export async function placeData(home: string): Promise<Place> {
  if (process.getuid?.() !== 0) {
    requireUserName();
    return { area: home, user: undefined };
  }
  const shared = path.join('/var/lib/reborn', createHash('sha256').update(home).digest('hex').slice(0, 16));
  const place = (await existingPlace(home)) ?? (await existingPlace(shared)) ?? (await newPlace(home, shared));
  if (place.area === shared) await makeReachable(shared);
  return place;
}

async function existingPlace(area: string): Promise<Place | undefined> {
  const data = path.join(area, 'postgres-18');
  const owner = await stat(path.join(data, 'PG_VERSION')).catch(() => undefined);
  if (!owner) return undefined;

  const user = { uid: owner.uid, gid: owner.gid };
  if (await isOpenTo(user, data)) return { area, user };
  throw new DatabaseUnavailable(
    `The data in ${data} belong to user ${user.uid}, who cannot reach them any more. ` +
      `Give every folder above search permission (chmod o+x), or set DATABASE_URL.`,
  );
}

async function newPlace(home: string, shared: string): Promise<Place> {
  const user = await findServerUser();
  return { area: (await isOpenTo(user, home)) ? home : shared, user };
}

/** Root keeps the folder itself, so that the server's user can swap nothing in it. */
async function makeReachable(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await chmod(path.dirname(folder), 0o755);
  await chmod(folder, 0o755);
}
