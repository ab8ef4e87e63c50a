import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Every broken link of the built site, with the page that contains it. */
export function findBrokenSiteLinks(folder: string): string[] {
  const pages = globSync('**/*.html', { cwd: folder });
  return pages.flatMap((page) => {
    const html = readFileSync(path.join(folder, page), 'utf8');
    const links = [...html.matchAll(/\b(?:href|src)="([^"]*)"/g)].map(([, link = '']) => link);
    return [...new Set(links)].filter((link) => isBroken(folder, page, link)).map((link) => `${page}: ${link}`);
  });
}

function isBroken(folder: string, page: string, link: string): boolean {
  if (/^[a-z]+:|^\/\//.test(link)) return false;
  const { pathname, hash } = new URL(link, `http://site/${page.replace(/index\.html$/, '')}`);
  const file = path.join(folder, decodeURIComponent(pathname), pathname.endsWith('/') ? 'index.html' : '');
  if (!existsSync(file)) return true;
  return hash.length > 1 && !readFileSync(file, 'utf8').includes(`id="${decodeURIComponent(hash.slice(1))}"`);
}
