import { InvalidRequest } from '../errors.ts';

const MOST_PATH_BYTES = 1024;
const DEEPEST = 32;

/** Control characters, separators of lines, and characters that change the direction of text or are not seen. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/u;

/**
 * The one spelling of a path: relative, with `/`, in Unicode normal form, such as `data/costs.csv` for `./data//costs.csv`. A path
 * below `/workspace`, where code finds the files, names the same file. Throws when it can't be one.
 */
export function normalizeFilePath(given: string): string {
  const problem = (text: string) => new InvalidRequest('invalid_request', 'path', text);
  const inside = given.normalize('NFC').replace(/^\/workspace(\/|$)/, '');
  if (inside.startsWith('/')) throw problem('path must be relative to the workspace, such as data/costs.csv.');
  if (inside.includes('\\')) throw problem('path must separate folders with /.');
  if (UNSEEN.test(inside) || !inside.isWellFormed())
    throw problem('path must not contain characters that are not visible.');
  const parts = inside.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw problem('path must not contain "..".');
  if (parts.length === 0) throw problem('path must name a file, such as data/costs.csv.');
  if (parts.length > DEEPEST) throw problem(`path may have ${DEEPEST} folders.`);
  if (parts.some((part) => part.trim() !== part))
    throw problem('The names in path must not begin or end with a space.');
  const path = parts.join('/');
  if (Buffer.byteLength(path) > MOST_PATH_BYTES) throw problem(`path may have ${MOST_PATH_BYTES} bytes.`);
  return path;
}

/** A path for a file that came under any name, such as an upload. */
export function pathFor(name: string, isTaken: (path: string) => boolean): string {
  const plain = name.normalize('NFC').toWellFormed().replaceAll('\\', '/').split('/').at(-1) ?? '';
  const seen = plain.replaceAll(new RegExp(UNSEEN, 'gu'), '').trim();
  const usable = /^\.*$/.test(seen) ? 'file' : seen;
  const path = shorten(usable, MOST_PATH_BYTES / 4);
  return isTaken(path) ? numbered(path, isTaken, (number) => `${number + 1}`) : path;
}

function shorten(name: string, most: number): string {
  if (Buffer.byteLength(name) <= most) return name;
  const end = /\.[\w-]{1,16}$/.exec(name)?.[0] ?? '';
  let start = name.slice(0, most);
  while (Buffer.byteLength(start + end) > most) start = start.slice(0, -1);
  return start.toWellFormed().trim() + end;
}

/** `name (agent).ext`, or with a number when that exists, too. */
export const pathBeside = (path: string, isTaken: (path: string) => boolean): string =>
  numbered(path, isTaken, (number) => (number === 1 ? 'agent' : `agent ${number}`));

/**
 * A free path of `name (1).ext`, `name (2).ext` and so on, in the caller's words: the first one, unless others are free between them.
 * It is found in few steps, because one message can bring thousands of files of the same name.
 */
function numbered(path: string, isTaken: (path: string) => boolean, words: (number: number) => string): string {
  const [, start = path, end = ''] = /^(.*?[^/])(\.[^./]*)?$/.exec(path) ?? [];
  const at = (number: number) => `${start} (${words(number)})${end}`;
  let free = 1;
  while (isTaken(at(free))) free *= 2;
  for (let taken = Math.floor(free / 2); free - taken > 1; ) {
    const middle = Math.floor((taken + free) / 2);
    if (isTaken(at(middle))) taken = middle;
    else free = middle;
  }
  return at(free);
}

/** Names that only differ in case are the same file on some machines. */
export const caseFold = (path: string): string => path.toLowerCase();
