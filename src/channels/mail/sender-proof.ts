import { getDomain } from 'tldts';
import { domainOf } from './mail-settings.ts';

type Header = { readonly key: string; readonly value: string };
/** One method of a verdict, such as `dkim=pass header.d=example.com`. */
type Finding = {
  readonly method: string;
  readonly result: string;
  readonly properties: ReadonlyMap<string, string>;
};

const LONGEST = 16_384;

/**
 * Whether the operator's mail server has proven the sender, by RFC 8601. Only the topmost `Authentication-Results` with its name
 * counts: servers add theirs above everything that came with the message, so a forged one is below it.
 */
export function isProven(headers: readonly Header[], authservId: string, from: string): boolean {
  for (const { key, value } of headers) {
    if (key !== 'authentication-results') continue;
    const verdict = parseVerdict(value.slice(0, LONGEST));
    if (verdict?.server === authservId.toLowerCase()) return verdict.findings.some((finding) => proves(finding, from));
  }
  return false;
}

function proves({ method, result, properties }: Finding, from: string): boolean {
  if (result !== 'pass') return false;
  const domain = domainOf(from);
  switch (method) {
    case 'dmarc':
      return domainOf(properties.get('header.from') ?? domain) === domain;
    case 'spf':
      return isAligned(properties.get('smtp.mailfrom') ?? properties.get('smtp.from'), domain);
    case 'dkim':
      return isAligned(properties.get('header.d') ?? properties.get('header.i'), domain);
    // The sender has signed in to the server itself.
    case 'auth':
      return properties.get('smtp.auth')?.toLowerCase() === from;
    default:
      return false;
  }
}

/** The relaxed alignment of DMARC: both names belong to one owner, by the list of public suffixes. */
function isAligned(proven: string | undefined, domain: string): boolean {
  const owner = ownerOf(domain);
  return owner !== null && ownerOf(domainOf(proven ?? '')) === owner;
}

/** The part of a name that someone has registered, also below suffixes such as `github.io`. */
const ownerOf = (name: string) => getDomain(name, { allowPrivateDomains: true });

type Token = { readonly word: string } | { readonly sign: string };

function parseVerdict(value: string): { readonly server: string; readonly findings: Finding[] } | undefined {
  const tokens = scan(value);
  const [first] = tokens ?? [];
  if (!tokens || !first || !('word' in first)) return undefined;
  const statements: Token[][] = [[]];
  for (const token of tokens) {
    if ('sign' in token && token.sign === ';') statements.push([]);
    else statements.at(-1)?.push(token);
  }
  return { server: first.word.toLowerCase(), findings: statements.slice(1).flatMap((parts) => toFinding(parts) ?? []) };
}

function toFinding(tokens: readonly Token[]): Finding | undefined {
  const pairs = tokens.flatMap((token, index): [string, string][] => {
    const [sign, value] = [tokens[index + 1], tokens[index + 2]];
    return 'word' in token && sign && 'sign' in sign && value && 'word' in value
      ? [[token.word.toLowerCase(), value.word]]
      : [];
  });
  const [first, ...properties] = pairs;
  if (!first || tokens[0] === undefined || !('word' in tokens[0])) return undefined;
  const [method = ''] = first[0].split('/');
  return { method, result: first[1].toLowerCase(), properties: new Map(properties.toReversed()) };
}

/** Words, and the signs `;` and `=`, without comments. Quoted text is one word with any content. */
function scan(value: string): Token[] | undefined {
  const tokens: Token[] = [];
  let word: string | undefined;
  let comments = 0;
  let isQuoted = false;
  const end = () => {
    if (word !== undefined) tokens.push({ word });
    word = undefined;
  };
  for (let at = 0; at < value.length; at++) {
    const character = value[at] ?? '';
    const escaped = character === '\\' && (isQuoted || comments > 0) ? value[++at] : undefined;
    if (comments > 0) {
      if (escaped === undefined && character === '(') comments++;
      if (escaped === undefined && character === ')') comments--;
    } else if (isQuoted) {
      if (escaped === undefined && character === '"') isQuoted = false;
      else word = (word ?? '') + (escaped ?? character);
    } else if (character === '(') {
      end();
      comments = 1;
    } else if (character === '"') {
      word ??= '';
      isQuoted = true;
    } else if (character === ';' || character === '=') {
      end();
      tokens.push({ sign: character });
    } else if (/\s/.test(character)) end();
    else word = (word ?? '') + character;
  }
  end();
  return comments > 0 || isQuoted ? undefined : tokens;
}
