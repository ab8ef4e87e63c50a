import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { REPOSITORY } from '../../scripts/repository.ts';
import { isSitePage, routeOf, toSitePage } from '../../scripts/site/to-site-page.ts';
import { readPages } from './pages.ts';

test('a page has its title as front matter, and links to the site or the repository', () => {
  const page = toSitePage(
    'docs/build/page.md',
    '# A `page`\n\n[a](../start/quickstart.md#ask) [b](../../src/app/app.ts) [c](../../test) ![d](../pictures/x.png) [e](#here) `[f](g.md)`\n',
  );

  expect(page).toBe(
    `---\ntitle: "A page"\n---\n\n[a](/start/quickstart/#ask) [b](${REPOSITORY}/blob/main/src/app/app.ts) [c](${REPOSITORY}/tree/main/test) ![d](/pictures/x.png) [e](#here) \`[f](g.md)\`\n`,
  );
});

test.each([
  ['README.md', '/'],
  ['ARCHITECTURE.md', '/architecture/'],
  ['SECURITY.md', '/security/'],
  ['docs/README.md', '/overview/'],
  ['docs/trust/security.md', '/trust/security/'],
  ['docs/build/write-a-tool.md', '/build/write-a-tool/'],
  ['docs/decisions/README.md', '/decisions/'],
])('%s is at %s', (file, route) => {
  expect(routeOf(file)).toBe(route);
});

test('every page below docs is in the sidebar of the site', () => {
  const config = readFileSync('site/astro.config.mjs', 'utf8');
  const slugs = readPages()
    .map(({ path }) => path)
    .filter((path) => isSitePage(path) && path.startsWith('docs/') && !path.startsWith('docs/decisions/'))
    .map((path) => routeOf(path).slice(1, -1));

  expect(slugs.filter((slug) => !config.includes(`'${slug}'`))).toEqual([]);
});
