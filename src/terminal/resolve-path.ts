import { homedir } from 'node:os';
import path from 'node:path';

/** The path that a person typed, from `folder`. `~/` is their home folder. */
export const resolvePath = (folder: string, typed: string): string =>
  path.resolve(folder, typed.replace(/^~(?=\/)/, homedir()));
