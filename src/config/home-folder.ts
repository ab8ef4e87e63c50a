import { access, constants, mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { ConfigError } from './config-error.ts';

/** Why a folder can't be the home, and what to do about it. */
export type HomeProblem = { readonly message: string; readonly fix: string };

/** Creates the home folder if it is missing. Throws a `ConfigError` if it can't be used. */
export async function makeHome(home: string): Promise<void> {
  // One folder at a time: in /proc, Node 26's recursive mkdir never returns.
  for (const folder of await findMissing(path.resolve(home))) {
    const code = await mkdir(folder, { mode: 0o700 }).then(() => undefined, codeOf);
    if (code && code !== 'EEXIST') throw refused({ message: `${home} can't be created (${code}).`, fix: ELSEWHERE });
  }
  await checkHome(home);
}

/** Throws a `ConfigError` if the folder exists and can't be used. */
export async function checkHome(home: string): Promise<void> {
  const problem = await findHomeProblem(home);
  if (problem) throw refused(problem);
}

/** Undefined when the folder can be used, or does not exist yet. */
export async function findHomeProblem(home: string): Promise<HomeProblem | undefined> {
  const found = await stat(home).catch(codeOf);
  if (found === 'ENOENT') return undefined;
  if (typeof found === 'string') return { message: `${home} can't be read (${found}).`, fix: ELSEWHERE };
  if (!found.isDirectory()) return { message: `${home} is not a folder.`, fix: 'Set REBORN_HOME to a folder.' };
  const isUsable = await access(home, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  if (isUsable) return undefined;
  return { message: `${home} can't be written to.`, fix: `Run: chown -R "$(id -un)" '${home}', or set REBORN_HOME.` };
}

const ELSEWHERE = 'Set REBORN_HOME to a folder that you may write to.';

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);

const refused = ({ message, fix }: HomeProblem) => new ConfigError([`${message} ${fix}`]);

/** The folders on the way that do not exist, the outermost first. */
async function findMissing(folder: string): Promise<string[]> {
  if ((await stat(folder).catch(codeOf)) !== 'ENOENT') return [];
  return [...(await findMissing(path.dirname(folder))), folder];
}
