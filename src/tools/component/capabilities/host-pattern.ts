import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';

/** The problem of `pattern`, which must be a host name or `*.` and a name. */
export function hostPatternProblem(pattern: string): string | undefined {
  if (pattern.includes('://')) return 'must be a host alone: leave out the scheme, https is the only one';
  if (isAddress(pattern)) return 'must be a name, not an IP address';
  if (pattern.includes('/')) return 'must be a host alone: the path belongs into path_prefix';
  if (pattern.includes('@')) return 'must be a host alone, without a user name';
  if (pattern.includes(':')) return 'must be a host alone: leave out the port, 443 is the only one';

  const name = pattern.startsWith('*.') ? pattern.slice(2) : pattern;
  if (name.includes('*')) return 'may have a "*" only as its first label, as in *.example.com';
  return nameProblem(name);
}

/** `*.example.com` matches all subdomains of example.com at any depth, but not example.com itself. */
export function matchesHost(pattern: string, host: string): boolean {
  if (!pattern.startsWith('*.')) return pattern === host;

  const ending = pattern.slice(1);
  return host.length > ending.length && host.endsWith(ending);
}

/** Whether every host that `inner` matches is one that `outer` matches. */
export function coversHosts(outer: string, inner: string): boolean {
  if (!inner.startsWith('*.')) return matchesHost(outer, inner);

  return outer === inner || (outer.startsWith('*.') && matchesHost(outer, inner.slice(2)));
}

function nameProblem(name: string): string | undefined {
  if (!isAscii(name)) return `must be written in ASCII: ${domainToASCII(name) || 'this is not a host name'}`;
  if (name.length > 253) return 'must have at most 253 characters';

  const labels = name.toLowerCase().split('.');
  if (!labels.every((label) => /^[a-z\d]([a-z\d-]{0,61}[a-z\d])?$/.test(label)))
    return 'must be a host name such as api.example.com, or *.example.com for all that is below example.com';

  if (labels.length < 2)
    return 'must have a dot in its name: a whole top-level domain or a local name is never granted';
  return undefined;
}

/** Also the shorter spellings, which a URL turns into an address: a name whose last label is a number is one. */
function isAddress(pattern: string): boolean {
  return pattern.startsWith('[') || isIP(pattern) !== 0 || /(^|\.)(\d+|0x[\da-f]*)\.?$/i.test(pattern);
}

function isAscii(text: string): boolean {
  return /^\p{ASCII}*$/u.test(text);
}
