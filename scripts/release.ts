import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/*
 * npm run release             checks, builds and packs, and shows what would be published
 * npm run release -- --publish  the same, then publishes the service and the client, tags the commit and records it in
 *                               releases.json, for the tests that need the version before
 */

const root = path.join(import.meta.dirname, '..');
const publish = process.argv.includes('--publish');
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };

const problems = findProblems();
for (const problem of problems) process.stderr.write(`- ${problem}\n`);
if (publish && problems.length > 0) process.exit(1);

run('node', ['scripts/build-package.ts']);
run('node', ['scripts/build-client.ts']);
for (const folder of ['./dist/package', './dist/client'])
  run('npm', ['publish', folder, '--access=public', ...(publish ? ['--provenance'] : ['--dry-run'])]);
if (publish) {
  run('git', ['tag', '--annotate', `v${version}`, '--message', `Version ${version}`]);
  recordRelease();
}

function recordRelease(): void {
  const file = path.join(root, 'releases.json');
  const releases = JSON.parse(readFileSync(file, 'utf8')) as unknown[];
  const release = { version, commit: ask('git', ['rev-parse', 'HEAD']), published: true };
  writeFileSync(file, `${JSON.stringify([...releases, release], undefined, 2)}\n`);
  process.stdout.write('releases.json names the commit of this release. Commit it.\n');
}

function findProblems(): string[] {
  const changes = readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8');
  const pending = readdirSync(path.join(root, '.changeset')).filter((file) => file.endsWith('.md'));
  return [
    ...(ask('git', ['status', '--porcelain']) ? ['There are uncommitted changes. Commit them first.'] : []),
    ...(ask('git', ['tag', '--list', `v${version}`]) ? [`v${version} was already released.`] : []),
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
