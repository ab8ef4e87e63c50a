import { caseFold, pathBeside } from './path.ts';
import type { ChangedFile, Workspace, WorkspaceFile } from './version.ts';

const MOST_FILES = 10_000;
export const MOST_FILE_BYTES = 64 * 1024 * 1024;

/** What changes can't be written, as the model reads it. */
export class ChangesRefused extends Error {
  override readonly name = 'ChangesRefused';
}

/** Those that really change something. */
export const realChanges = (files: Workspace['files'], changes: readonly ChangedFile[]): ChangedFile[] =>
  changes.filter(({ path, sha256, mode }) => {
    const known = files.get(path);
    return sha256 === null ? known !== undefined : known?.sha256 !== sha256 || known.mode !== mode;
  });

/** Throws `ChangesRefused` if the workspace would have too many files or bytes, or two files whose names differ only in case. */
export function checkChanges(files: Workspace['files'], changes: readonly ChangedFile[], quota: number): void {
  const after = new Map<string, { readonly bytes: number }>(files);
  for (const { path, sha256, bytes } of changes) {
    if (sha256 === null) after.delete(path);
    else after.set(path, { bytes });
    if (bytes > MOST_FILE_BYTES) throw new ChangesRefused(`${path} is larger than ${inWords(MOST_FILE_BYTES)}`);
  }
  if (after.size > MOST_FILES) throw new ChangesRefused(`there would be more than ${MOST_FILES} files`);
  const total = [...after.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  if (total > quota) throw new ChangesRefused(`the files would have more than ${inWords(quota)} together`);
  checkNames([...after.keys()], changes);
}

function checkNames(paths: readonly string[], changes: readonly ChangedFile[]): void {
  const spelled = Map.groupBy(paths, caseFold);
  const folders = new Set(paths.flatMap((path) => foldersOf(caseFold(path))));
  for (const { path, sha256 } of changes) {
    if (sha256 === null) continue;
    const twin = spelled.get(caseFold(path))?.find((other) => other !== path);
    if (twin) throw new ChangesRefused(`${path} and ${twin} differ only in case`);
    const above = foldersOf(caseFold(path)).find((folder) => spelled.has(folder));
    if (above || folders.has(caseFold(path)))
      throw new ChangesRefused(`${above ?? path} can't be both a file and a folder`);
  }
}

const foldersOf = (path: string): string[] => [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index));

/**
 * The same changes on a newer version. Where a person has changed the same file, theirs stays, and ours is written beside it. A file
 * that they changed is not removed.
 */
export function moveChanges(
  changes: readonly ChangedFile[],
  before: Workspace['files'],
  now: Workspace['files'],
): { readonly changes: ChangedFile[]; readonly beside: ReadonlyMap<string, string> } {
  const beside = new Map<string, string>();
  const taken = new Set([...now.keys(), ...changes.map(({ path }) => path)].map(caseFold));
  const moved = changes.flatMap((change): ChangedFile[] => {
    const theirs = now.get(change.path);
    const isTheirs = theirs?.sha256 !== before.get(change.path)?.sha256;
    if (!isTheirs || theirs?.sha256 === change.sha256) return [change];
    if (change.sha256 === null) return [];
    if (theirs === undefined) return [change]; // they removed what we have changed
    const path = pathBeside(change.path, (other) => taken.has(caseFold(other)));
    taken.add(caseFold(path));
    beside.set(change.path, path);
    return [{ ...change, path }];
  });
  return { changes: moved, beside };
}

/** How many changed files are listed for the model and the person. */
const MOST_NAMED = 20;

/** `files: +chart.png (11 kB), ~data.csv, -old.txt; version 7`, so that the model need not list the files again. */
export function describeChanges(files: Workspace['files'], changes: readonly ChangedFile[], version: number): string {
  const named = changes.slice(0, MOST_NAMED).map((change) => describeChange(files.get(change.path), change));
  if (changes.length > MOST_NAMED) named.push(`and ${changes.length - MOST_NAMED} more`);
  return `files: ${named.join(', ')}; version ${version}`;
}

function describeChange(known: WorkspaceFile | undefined, { path, sha256, bytes }: ChangedFile): string {
  if (sha256 === null) return `-${path}`;
  return known ? `~${path}` : `+${path} (${inWords(bytes)})`;
}

/** `11 kB`, as people read sizes. */
export function inWords(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB'];
  const power = bytes < 1000 ? 0 : Math.min(3, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${value < 10 && power > 0 ? value.toFixed(1) : Math.round(value)} ${units[power]}`;
}
