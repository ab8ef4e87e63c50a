import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { hasSource, RELEASES } from '../support/released-source.ts';

type Manifest = { readonly version: string; readonly dependencies?: Readonly<Record<string, string>> };

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Manifest;
const { version } = read('package.json');
const changelog = readFileSync('CHANGELOG.md', 'utf8');
const sections = Array.from(changelog.matchAll(/^## (\S+)$/gm), ([, name = '']) => name);

test('all packages, the lock file and the chart have one version', () => {
  const chart = readFileSync('deploy/helm/reborn/Chart.yaml', 'utf8');
  const lock = read('package-lock.json') as Manifest & { packages: Record<string, Manifest> };

  expect(['client', 'web', 'sdk'].map((folder) => read(`${folder}/package.json`).version)).toEqual(
    Array(3).fill(version),
  );
  expect(read('web/package.json').dependencies?.['@reborn-agent/client']).toBe(version);
  expect(read('examples/tools/weather/package.json').dependencies?.['@reborn-agent/tool']).toBe(version);
  expect(['', 'client', 'web', 'sdk'].map((folder) => lock.packages[folder]?.version)).toEqual(Array(4).fill(version));
  expect(Array.from(chart.matchAll(/^(?:version|appVersion): (.+)$/gm), ([, found]) => found)).toEqual([
    version,
    version,
  ]);
});

test('CHANGELOG.md begins with this version', () => {
  expect(sections[0]).toBe(version);
});

test('releases.json has a commit for every version of CHANGELOG.md before this one', () => {
  expect(RELEASES.map((release) => release.version).filter((name) => name !== version)).toEqual(
    sections.slice(1).toReversed(),
  );
  for (const { commit } of RELEASES) expect(commit).toMatch(/^[0-9a-f]{40}$/);
});

const last = RELEASES.at(-1);

test.runIf(last && hasSource(last))('a migration of the last release never changes: a new one follows it', () => {
  const git = (...words: string[]) => execFileSync('git', words, { encoding: 'utf8' }).trim();

  expect(git('diff', '--name-only', '--diff-filter=a', last?.commit ?? '', '--', 'migrations')).toBe('');
});
