import { stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { findHomeProblem } from '#config/home-folder.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const SECRET_FILES = ['webui-token', 'secrets-key', 'settings.env', 'serve.json', 'reborn.log'];

/** Whether the home folder can be used, and only by this user. */
export async function checkPermissions(home: string): Promise<Finding[]> {
  const check = 'permissions';
  const unusable = await findHomeProblem(home);
  if (unusable) return [problem(check, unusable.message, unusable.fix)];
  const folder = await stat(home).catch(() => undefined);
  if (!folder) return [ok(check, `${home} does not exist yet; the first start makes it.`)];

  const findings: Finding[] = [];
  if (folder.mode & 0o022) findings.push(problem(check, `Others may write to ${home}.`, `Run: chmod go-w '${home}'`));
  for (const name of SECRET_FILES) findings.push(...(await checkSecretFile(path.join(home, name))));
  return findings.length > 0 ? findings : [ok(check, `${home} is yours alone to write to.`)];
}

async function checkSecretFile(file: string): Promise<Finding[]> {
  const found = await stat(file).catch(() => undefined);
  if (!found || (found.mode & 0o077) === 0) return [];
  return [problem('permissions', `Others may read ${file}, which holds secrets.`, `Run: chmod 600 '${file}'`)];
}

type Space = { readonly bavail: number; readonly bsize: number };

const LITTLE = 1024 ** 3;
const TOO_LITTLE = 200 * 1024 ** 2;

/** Whether there is room for the database to grow. */
export async function checkDisk(
  home: string,
  look: (folder: string) => Promise<Space> = (folder) => statfs(folder),
): Promise<Finding[]> {
  const check = 'disk';
  const { bavail, bsize } = await look(home).catch(() => look(path.dirname(home)));
  const free = bavail * bsize;
  const said = `${(free / 1024 ** 3).toFixed(1)} GiB free on the disk of ${home}.`;
  const mend = 'Free some space, or set REBORN_HOME to another disk.';
  if (free < TOO_LITTLE) return [problem(check, said, mend)];
  return free < LITTLE ? [warning(check, said, mend)] : [ok(check, said)];
}
