import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { ServerUser } from './server-user.ts';

/** Whether `user` may enter every folder on the way to `target`, and enter or run `target` itself. */
export async function isOpenTo(user: ServerUser, target: string): Promise<boolean> {
  const { uid, gid, mode } = await stat(target);
  const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
  if (!(mode & bit)) return false;

  const parent = path.dirname(target);
  return parent === target || isOpenTo(user, parent);
}
