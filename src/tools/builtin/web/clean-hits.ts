import { checkTarget } from '#egress/check-target.ts';
import { EgressRefused } from '#egress/egress-failure.ts';
import { sourceAddress } from '#safety/addresses/source-address.ts';
import type { Hit } from '#search/search.ts';
import { htmlToText } from './html-to-text.ts';

/** A hit as the model may read it: plain text in one line, and an address that can be opened. */
export type CleanHit = {
  readonly url: string;
  readonly title: string;
  readonly published: string | null;
  readonly text: string;
};

const TITLE = 120;
const SNIPPET = 300;
/** Longer texts are cut before they are parsed. */
const PARSED = 2000;

/** Leaves out what can't be opened, and what the lists of hosts exclude, also if the engine did not. */
export function cleanHits(
  hits: readonly Hit[],
  only: readonly (readonly string[])[],
  not: readonly string[],
): CleanHit[] {
  return hits.flatMap((hit) => {
    const url = addressOf(hit.url);
    if (!url || only.some((hosts) => hosts.length > 0 && !isBelow(url.hostname, hosts)) || isBelow(url.hostname, not))
      return [];
    const title = shorten(plainText(hit.title, url), TITLE) || url.hostname;
    return {
      url: url.href,
      title,
      published: dateOf(hit.published),
      text: shorten(plainText(hit.snippet, url), SNIPPET),
    };
  });
}

/** The best hits of each query in turn, each address once. */
export function mergeHits(lists: readonly (readonly CleanHit[])[], most: number): CleanHit[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  const ranked = Array.from({ length: longest }, (_, rank) => lists.flatMap((list) => list[rank] ?? [])).flat();
  const merged = new Map<string, CleanHit>();
  for (const hit of ranked) if (!merged.has(hit.url)) merged.set(hit.url, hit);
  return [...merged.values()].slice(0, most);
}

/** Only what the service could fetch: https to a public name, and no longer than a call may name. */
function addressOf(written: string): URL | undefined {
  const url = written.length <= 2000 ? URL.parse(written) : null;
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  try {
    return checkTarget('GET', sourceAddress(url));
  } catch (error) {
    if (error instanceof EgressRefused) return undefined;
    throw error;
  }
}

/** Whether a host is one of these, or below one of them: `a.example.com` is below `example.com`, `notexample.com` is not. */
const isBelow = (host: string, hosts: readonly string[]): boolean =>
  hosts.some((each) => host === each.toLowerCase() || host.endsWith(`.${each.toLowerCase()}`));

/** Engines mark words with HTML. A number in brackets would look like one of ours. */
function plainText(html: string, base: URL): string {
  return htmlToText(html.slice(0, PARSED), base)
    .text.replace(MISLEADING, ' ')
    .replace(/\s+/g, ' ')
    .replace(/\[(?=s\d)/gi, '(')
    .trim();
}

const MISLEADING = /[\p{Cc}\p{Cf}]/gu;

const shorten = (text: string, most: number): string =>
  text.length <= most
    ? text
    : `${text
        .slice(0, most - 1)
        .toWellFormed()
        .trimEnd()}…`;

/** Only the day: engines write more than that, or words. */
const dateOf = (published: string | null): string | null => /^\d{4}-\d{2}-\d{2}/.exec(published ?? '')?.[0] ?? null;
