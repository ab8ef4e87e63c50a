import type { EgressAnswer } from '#egress/exchange.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const MOST_SITES = 500;
const MOST_RULES = 1_000;
const NAME = 'reborn';

type Rule = { readonly path: string; readonly allows: boolean };

/** Whether the robots.txt of a site lets an agent read one of its pages. Each file is read once a day. */
export function createRobots(get: (url: URL) => Promise<Pick<EgressAnswer, 'status' | 'body'>>, now = Date.now) {
  const known = new Map<string, { readonly until: number; readonly rules: Promise<readonly Rule[]> }>();

  return async (url: URL): Promise<boolean> => {
    const entry = known.get(url.origin);
    const rules = entry && entry.until > now() ? entry.rules : read(url);
    return allowsPath(await rules, url.pathname + url.search);
  };

  function read(url: URL): Promise<readonly Rule[]> {
    const rules = get(new URL('/robots.txt', url)).then(rulesOf);
    known.delete(url.origin);
    known.set(url.origin, { until: now() + DAY_MS, rules });
    rules.catch(() => known.delete(url.origin)); // the next caller asks again
    const [oldest] = known.keys();
    if (known.size > MOST_SITES && oldest !== undefined) known.delete(oldest);
    return rules;
  }
}

/** RFC 9309: a site without the file allows everything, and one that can't say it nothing. */
function rulesOf({ status, body }: Pick<EgressAnswer, 'status' | 'body'>): readonly Rule[] {
  if (status >= 500) return [{ path: '/', allows: false }];
  return status === 200 ? parseRobots(new TextDecoder().decode(body)) : [];
}

/** The rules for this agent by its name, or else those for all. */
function parseRobots(text: string): readonly Rule[] {
  const groups = new Map<string, Rule[]>();
  let names: string[] = [];
  let isNaming = false;
  for (const line of text.split(/[\r\n]+/)) {
    const [, key = '', value = ''] = /^\s{0,20}([\w-]{1,40})\s{0,20}:([^#]*)/.exec(line) ?? [];
    const field = key.toLowerCase();
    if (field === 'user-agent') {
      names = [...(isNaming ? names : []), value.trim().toLowerCase()];
      isNaming = true;
      for (const name of [NAME, '*']) if (names.includes(name) && !groups.has(name)) groups.set(name, []);
    }
    if (field !== 'allow' && field !== 'disallow') continue;
    isNaming = false;
    const path = value.trim();
    for (const name of path === '' ? [] : [NAME, '*'])
      if (names.includes(name)) groups.get(name)?.push({ path, allows: field === 'allow' });
  }
  return (groups.get(NAME) ?? groups.get('*') ?? []).slice(0, MOST_RULES);
}

/** The longest rule decides; of two as long, the one that allows. */
function allowsPath(rules: readonly Rule[], path: string): boolean {
  const matching = rules.filter((rule) => matches(rule.path, path));
  const longest = Math.max(0, ...matching.map((rule) => rule.path.length));
  const deciding = matching.filter((rule) => rule.path.length === longest);
  return deciding.length === 0 || deciding.some(({ allows }) => allows);
}

/** `*` stands for any characters, and `$` for the end. */
function matches(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith('$');
  const [start = '', ...parts] = (isWhole ? pattern.slice(0, -1) : pattern).split('*');
  if (!path.startsWith(start)) return false;
  let at = start.length;
  const last = isWhole ? parts.pop() : undefined;
  for (const part of parts) {
    const found = path.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  if (!isWhole) return true;
  return last === undefined ? at === path.length : path.length - last.length >= at && path.endsWith(last);
}
