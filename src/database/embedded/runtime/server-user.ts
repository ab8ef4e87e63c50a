import { readFile, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { DatabaseUnavailable } from '../../database-unavailable.ts';

export type ServerUser = { readonly uid: number; readonly gid: number };

/** PostgreSQL refuses to run as root, so it runs as this user instead. */
export async function findServerUser(passwdFile = '/etc/passwd'): Promise<ServerUser> {
  const users = (await readFile(passwdFile, 'utf8').catch(() => '')).split('\n').map((line) => line.split(':'));
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = users.find(([found]) => found === name) ?? [];
    if (Number(uid)) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new DatabaseUnavailable(
    'The built-in PostgreSQL does not run as root, and needs a user "postgres" or "nobody" to run it. ' +
      'Start as another user, or set DATABASE_URL.',
  );
}

/** initdb looks up its user's name, and containers often run with a numeric user ID only. */
export function requireUserName(userInfo: () => unknown = os.userInfo): void {
  try {
    userInfo();
  } catch {
    throw new DatabaseUnavailable(
      `The built-in PostgreSQL needs a user with a name, and user ${process.getuid?.()} has none. ` +
        'Add one to /etc/passwd, or set DATABASE_URL.',
    );
  }
}

/** Whether `user` may enter every parent folder of `target`, and enter or run `target` itself. */
export async function isOpenTo(user: ServerUser, target: string): Promise<boolean> {
  const { uid, gid, mode } = await stat(target);
  const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
  if (!(mode & bit)) return false;

  const parent = path.dirname(target);
  return parent === target || isOpenTo(user, parent);
}
