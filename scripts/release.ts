import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/*
 * npm run release           checks, builds and packs what is published into dist/release, and shows what is in it
 * npm run release -- --tag  the same, then tags the commit and records it in releases.json, for the tests that need the
 *                           version before. .github/workflows/release.yml publishes what it builds from the tag
 */

const root = path.join(import.meta.dirname, '..');
const folder = path.join(root, 'dist/release');
const isTagging = process.argv.includes('--tag');
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };

const problems = findProblems();
for (const problem of problems) process.stderr.write(`- ${problem}\n`);
if (problems.length > 0) process.exitCode = 1;
if (isTagging && problems.length > 0) process.exit();

run('node', ['scripts/build-package.ts']);
run('node', ['scripts/build-client.ts']);
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
run('npm', ['pack', '--pack-destination', folder, './dist/package', './dist/client']);
cpSync(path.join(root, 'dist/package/sbom.cdx.json'), path.join(folder, 'sbom.cdx.json'));
writeFileSync(path.join(folder, 'SHA256SUMS'), listHashes());
if (isTagging) {
  run('git', ['tag', '--annotate', `v${version}`, '--message', `Version ${version}`]);
  recordRelease();
}

function listHashes(): string {
  const lines = readdirSync(folder).map((file) => `${hashOf(path.join(folder, file))}  ${file}\n`);
  return lines.join('');
}

function hashOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

function recordRelease(): void {
  const file = path.join(root, 'releases.json');
  const releases = JSON.parse(readFileSync(file, 'utf8')) as unknown[];
  const release = { version, commit: ask('git', ['rev-parse', 'HEAD']), published: true };
  writeFileSync(file, `${JSON.stringify([...releases, release], undefined, 2)}\n`);
  process.stdout.write(
    `releases.json names the commit of this release. Commit it, then push it and the tag v${version}.\n`,
  );
}

function findProblems(): string[] {
  const changes = readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8');
  const pending = readdirSync(path.join(root, '.changeset')).filter((file) => file.endsWith('.md'));
  const tagged = ask('git', ['tag', '--list', `v${version}`]) && ask('git', ['rev-parse', `v${version}^{commit}`]);
  const isOurs = tagged === ask('git', ['rev-parse', 'HEAD']); // as in the workflow
  return [
    ...(ask('git', ['status', '--porcelain']) ? ['There are uncommitted changes. Commit them first.'] : []),
    ...(tagged && (isTagging || !isOurs) ? [`v${version} was already released.`] : []),
    ...(changes.includes(`\n## ${version}\n`) ? [] : [`CHANGELOG.md has no section for ${version}.`]),
    ...(pending.length > 0 ? ['There are changesets. Run `npm run release:prepare` and commit the result first.'] : []),
  ];
}

function ask(program: string, words: string[]): string {
  return execFileSync(program, words, { cwd: root, encoding: 'utf8' }).trim();
}

function run(program: string, words: string[]): void {
  execFileSync(program, words, { cwd: root, stdio: 'inherit' });
}
