import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describeService } from '#app/describe-service.ts';
import { findBrokenSiteLinks } from './site/find-broken-site-links.ts';
import { isSitePage, routeOf, toSitePage } from './site/to-site-page.ts';

/*
 * npm run site   renders the documentation as a site in site/dist and checks its links
 * `npm ci --prefix site` installs what it needs; the service does not use those packages.
 */

const root = path.join(import.meta.dirname, '..');
process.chdir(root);

const content = 'site/src/content/docs';
const assets = 'site/public';
for (const folder of [content, assets, 'site/dist']) rmSync(folder, { recursive: true, force: true });

cpSync('site/landing.mdx', path.join(content, 'index.mdx'));
for (const file of globSync(['*.md', 'docs/**/*.md']).filter((name) => isSitePage(name) && name !== 'README.md')) {
  const page = path.join(content, routeOf(file), 'index.md');
  mkdirSync(path.dirname(page), { recursive: true });
  writeFileSync(page, toSitePage(file, readFileSync(file, 'utf8')));
}
cpSync('docs/pictures', path.join(assets, 'pictures'), { recursive: true });
cpSync('web/public/favicon.svg', path.join(assets, 'favicon.svg'));
writeFileSync(path.join(assets, 'openapi.json'), JSON.stringify(describeService()));

execFileSync(process.execPath, ['node_modules/astro/bin/astro.mjs', 'build'], {
  cwd: 'site',
  stdio: 'inherit',
  env: { ...process.env, ASTRO_TELEMETRY_DISABLED: '1' },
});

const broken = findBrokenSiteLinks('site/dist');
for (const link of broken) process.stderr.write(`Broken link: ${link}\n`);
if (broken.length > 0) process.exit(1);
