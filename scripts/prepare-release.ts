import { execFileSync } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { applyReleasePlan } from '@changesets/apply-release-plan';
import { assembleReleasePlan } from '@changesets/assemble-release-plan';
import { readConfig } from '@changesets/config';
import { readChangesets } from '@changesets/read';
import { getPackages } from '@manypkg/get-packages';

/*
 * npm run release:prepare: turns the changesets into the next version of every package and a section of CHANGELOG.md.
 * The command line of changesets leaves the root package out, and that is the one we publish.
 */

const root = path.join(import.meta.dirname, '..');
const found = await getPackages(root);
const all = { ...found, packages: [...(found.rootPackage ? [found.rootPackage] : []), ...found.packages] };

const { config, errors } = await readConfig(root, all);
if (!config) throw new Error(`.changeset/config.json is wrong: ${errors.join('; ')}`);
const changesets = await readChangesets(root);
if (changesets.length === 0) throw new Error('.changeset has no changesets, so there is nothing to release.');

const written = await applyReleasePlan(assembleReleasePlan(changesets, all, config, undefined), all, config);
// One changelog for all packages, since they share a version.
for (const file of written)
  if (path.basename(file) === 'CHANGELOG.md' && path.dirname(file) !== root) await rm(file, { force: true });
await setChartVersion();
execFileSync('npm', ['install', '--package-lock-only', '--no-audit', '--no-fund'], { cwd: root, stdio: 'inherit' });
execFileSync('npm', ['run', '--silent', 'format'], { cwd: root, stdio: 'inherit' });

/** The chart installs the image of the same version. */
async function setChartVersion(): Promise<void> {
  const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as { version: string };
  const file = path.join(root, 'deploy/helm/reborn/Chart.yaml');
  const chart = await readFile(file, 'utf8');
  await writeFile(file, chart.replaceAll(/^(version|appVersion): .+$/gm, `$1: ${version}`));
}
