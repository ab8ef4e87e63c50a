import { expect, test } from 'vitest';
import { findBrokenLinks, findTargets } from './find-broken-links.ts';
import { readPages } from './pages.ts';

const pages = readPages();

test('every link of a page leads to an existing file or heading', () => {
  expect(pages.length).toBeGreaterThan(30);
  expect(findBrokenLinks(pages)).toEqual([]);
});

test('a broken link is found in every form', () => {
  const page = (text: string) => [{ path: 'docs/page.md', text: `# A page\n\n## What *is* here?\n\n${text}\n` }];

  expect(
    findBrokenLinks(page('[a](../README.md), [b](#what-is-here), [c](https://example.com/x), `[d](e.md)`')),
  ).toEqual([]);
  expect(findBrokenLinks(page('[a](missing.md)'))).toEqual(['docs/page.md: there is no docs/missing.md']);
  expect(findBrokenLinks(page('![a](pictures/missing.png)'))).toHaveLength(1);
  expect(findBrokenLinks(page('<img src="pictures/missing.png">'))).toHaveLength(1);
  expect(findBrokenLinks(page('[a](#nowhere)'))).toEqual(['docs/page.md: docs/page.md has no heading for #nowhere']);
  expect(findBrokenLinks(page('[a](../package.json#x)'))).toHaveLength(1);
});

test('every page can be reached from README.md through links', () => {
  const reached = new Set(['README.md']);
  for (const name of reached) {
    const page = pages.find(({ path }) => path === name);
    for (const target of page ? findTargets(page) : []) reached.add(target);
  }

  expect(pages.map(({ path }) => path).filter((name) => !reached.has(name))).toEqual([]);
});

test('docs/README.md links to every page below docs, except the single decisions', () => {
  const index = pages.find(({ path }) => path === 'docs/README.md');
  const listed = new Set(index && findTargets(index));
  const expected = pages
    .map(({ path }) => path)
    .filter((name) => name.startsWith('docs/') && !/^docs\/decisions\/(?!README)/.test(name) && name !== index?.path);

  expect(expected.filter((name) => !listed.has(name))).toEqual([]);
});

test('every folder of docs holds one kind of page', () => {
  const folders = pages.filter(({ path }) => path.startsWith('docs/')).map(({ path }) => path.split('/').slice(1, -1));

  expect([...new Set(folders.map((names) => names.join('/')))].toSorted()).toEqual(
    ['', 'build', 'contribute', 'decisions', 'operate', 'reference', 'start', 'trust', 'use'].toSorted(),
  );
});
