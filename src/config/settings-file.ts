import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { makeHome } from './home-folder.ts';

/** Settings by the names of their environment variables. */
export type Settings = Readonly<Record<string, string>>;

export const settingsFile = (home: string) => path.join(home, 'settings.env');

/** The settings in the home folder's `settings.env`; empty if the file does not exist. */
export function readSettings(home: string): Settings {
  try {
    return parseEnv(readFileSync(settingsFile(home), 'utf8')) as Settings;
  } catch (error) {
    if (isMissing(error)) return {};
    throw error;
  }
}

/** Changes some settings, or removes those set to `undefined`, and keeps every other line. */
export async function changeSettings(
  home: string,
  changes: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  await makeHome(home);
  const kept = (await readLines(home)).filter((line) => !(nameIn(line) in changes));
  const added = Object.entries(changes).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${quote(name, value)}`],
  );
  // Written to a draft and renamed: a service that starts meanwhile reads either the old settings or the new ones.
  const draft = path.join(home, `.settings-${process.pid}-${randomBytes(4).toString('hex')}`);
  await writeFile(draft, [...kept, ...added, ''].join('\n'), { mode: 0o600 });
  await rename(draft, settingsFile(home));
}

async function readLines(home: string): Promise<string[]> {
  try {
    return (await readFile(settingsFile(home), 'utf8')).replace(/\n+$/, '').split('\n');
  } catch (error) {
    if (isMissing(error)) return ['# Settings of Reborn. Environment variables override them.'];
    throw error;
  }
}

const nameIn = (line: string) => /^\s*(?:export\s+)?(\w+)\s*=/.exec(line)?.[1] ?? '';

function quote(name: string, value: string): string {
  if (/^[\w./:@+,-]*$/.test(value)) return value;
  const mark = ["'", '`', '"'].find((candidate) => !value.includes(candidate));
  if (!mark || value.includes('\n') || (mark === '"' && value.includes('\\')))
    throw new Error(`${name} has a value that can't be stored in settings.env. Set it in the environment instead.`);
  return mark + value + mark;
}

const isMissing = (error: unknown) => ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
