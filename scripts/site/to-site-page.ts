import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { REPOSITORY } from '../repository.ts';

/** Converts a page for the site: the title becomes front matter, and links point to the site or to the repository. */
export function toSitePage(file: string, text: string): string {
  const title = /^# (.+)$/m.exec(text)?.[1] ?? file;
  const body = text.replace(/^# .+\n+/m, '');
  return `---\ntitle: ${JSON.stringify(title.replaceAll('`', ''))}\n---\n\n${withSiteLinks(file, body)}`;
}

/** The path of a page on the site, such as `/build/write-a-tool/` for `docs/build/write-a-tool.md`. */
export function routeOf(file: string): string {
  if (file === 'docs/README.md') return '/overview/'; // the site's start page has /
  const name = file
    .replace(/^docs\//, '')
    .replace(/\.md$/, '')
    .replace(/(^|\/)README$/, '$1')
    .toLowerCase();
  return `/${name}${name === '' || name.endsWith('/') ? '' : '/'}`;
}

export const isSitePage = (file: string): boolean => /^(?:docs\/.+|[A-Z]+)\.md$/.test(file);

/** Links inside code are left as they are. */
function withSiteLinks(file: string, text: string): string {
  return text.replaceAll(/(^ *```[^]*?^ *```|`[^`\n]*`)|(\]\()([^)\s]+)(\))/gm, (whole, code, open, link, close) =>
    code === undefined ? `${open}${toSiteLink(file, String(link))}${close}` : whole,
  );
}

function toSiteLink(file: string, link: string): string {
  if (/^[a-z]+:|^#/.test(link)) return link;
  const [name = '', anchor] = link.split('#');
  const target = path.join(path.dirname(file), name);
  const hash = anchor === undefined ? '' : `#${anchor}`;
  if (isSitePage(target)) return routeOf(target) + hash;
  if (target.startsWith('docs/pictures/')) return `/${target.replace('docs/', '')}`;
  const isFolder = existsSync(target) && statSync(target).isDirectory();
  return `${REPOSITORY}/${isFolder ? 'tree' : 'blob'}/main/${target}${hash}`;
}
