import { existsSync } from 'node:fs';
import path from 'node:path';

/** The message of an error. What the system says about a file, with a code and the name of a call, becomes a sentence. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code = '', path: file, syscall = '' } = error as NodeJS.ErrnoException;
  const sentence = file !== undefined && CALLS.has(syscall) ? SENTENCES[code] : undefined;
  return file !== undefined && sentence ? sentence(file) : error.message;
}

/** Other calls, such as one that starts a program, mean something else by the same codes. */
const CALLS = new Set(['open', 'stat', 'lstat', 'read', 'scandir', 'mkdir']);

const SENTENCES: Readonly<Record<string, (file: string) => string>> = {
  ENOENT(file) {
    const folder = path.dirname(file);
    return existsSync(folder) ? `The file ${file} does not exist.` : `There is no folder ${folder}.`;
  },
  ENOTDIR: (file) => `A part of the path ${file} is not a folder.`,
  EISDIR: (file) => `${file} is a folder. Name a file.`,
  EEXIST: (file) => `${file} exists already. Choose another name.`,
  EACCES: (file) => `You may not open ${file}. Change its permissions, or choose another path.`,
  EROFS: (file) => `${file} is on a disk that can't be written to. Choose another path.`,
};
