import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Page } from './pages.ts';

/** Every broken link to a file or heading of the checkout, as a sentence. Web addresses are not checked. */
export function findBrokenLinks(pages: readonly Page[]): string[] {
  const anchors = new Map(pages.map(({ path: name, text }) => [name, anchorsOf(text)]));
  return pages.flatMap((page) =>
    linksOf(page.text)
      .map((link) => problemOf(page.path, link, anchors))
      .filter((problem) => problem !== undefined),
  );
}

/** The pages and other files that a page links to. */
export function findTargets({ path: name, text }: Page): string[] {
  return linksOf(text)
    .filter((link) => !isOnTheWeb(link) && !link.startsWith('#'))
    .map((link) => targetOf(name, link).file);
}

function problemOf(page: string, link: string, anchors: ReadonlyMap<string, Set<string>>): string | undefined {
  if (isOnTheWeb(link)) return undefined;
  const { file, anchor } = targetOf(page, link);
  if (!anchors.has(file) && !existsSync(file)) return `${page}: there is no ${file}`;
  if (anchor === undefined) return undefined;
  if (!anchors.has(file)) return `${page}: ${file} is not a page, so it has no #${anchor}`;
  return anchors.get(file)?.has(anchor) ? undefined : `${page}: ${file} has no heading for #${anchor}`;
}

const isOnTheWeb = (link: string) => /^[a-z]+:/.test(link);

function targetOf(page: string, link: string): { file: string; anchor: string | undefined } {
  const [file = '', anchor] = link.split('#');
  return { file: file === '' ? page : path.join(path.dirname(page), decodeURI(file)), anchor };
}

/** Links and images in Markdown and in its HTML, without those in code. */
function linksOf(text: string): string[] {
  const prose = withoutCode(text);
  const inMarkdown = [...prose.matchAll(/\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g)];
  const inHtml = [...prose.matchAll(/\b(?:href|src|srcset)="([^"\s]+)"/g)];
  return [...inMarkdown, ...inHtml].map(([, link = '']) => link);
}

function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, title = ''] of withoutFences(text).matchAll(/^#{1,6} +(.+)$/gm)) {
    const slug = toSlug(title);
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** The anchor that GitHub and Starlight generate. */
function toSlug(title: string): string {
  return title
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}

const withoutFences = (text: string) => text.replaceAll(/^( *)```.*?^\1``` *$/gms, '');
const withoutCode = (text: string) => withoutFences(text).replaceAll(/`[^`\n]*`/g, '');
