import type { Credential, CredentialLocation } from '../capabilities/capabilities.ts';
import { headerKey, isHeaderValue } from '../capabilities/header-name.ts';
import { matchesHost } from '../capabilities/host-pattern.ts';
import { CredentialMissing, RequestRefused } from './tool-http-failure.ts';

/** A request on its way out. It is changed in place: from here on it carries secrets, and goes nowhere but to egress. */
export type Outgoing = { readonly url: URL; readonly headers: Map<string, string> };

export type Secrets = {
  readonly values: ReadonlyMap<string, string>;
  /** Names of optional secrets. */
  readonly optional: ReadonlySet<string>;
};

/** Puts the host's secrets into the request. Values that the tool wrote there are always removed. */
export function addCredentials(outgoing: Outgoing, credentials: readonly Credential[], secrets: Secrets): void {
  const fitting = credentials.filter(({ hostPatterns }) =>
    hostPatterns.some((pattern) => matchesHost(pattern, outgoing.url.hostname)),
  );
  for (const { location } of fitting) clearLocation(outgoing, location);
  for (const credential of fitting) {
    if (!hasLocation(outgoing, credential.location)) continue;

    const secret = secrets.values.get(credential.secretName);
    if (secret !== undefined) fillLocation(refuseRange(outgoing), credential, secret);
    else if (!secrets.optional.has(credential.secretName)) throw new CredentialMissing(credential.secretName);
  }
}

/** A secret could come back in pieces, and escape the search. */
function refuseRange(outgoing: Outgoing): Outgoing {
  if (!outgoing.headers.has('range')) return outgoing;
  throw new RequestRefused(
    'A request that carries a credential must not ask for a part of the answer: leave out the header range.',
  );
}

function clearLocation({ url, headers }: Outgoing, location: CredentialLocation): void {
  const header = headerOf(location);
  if (header !== undefined)
    for (const name of headers.keys()) if (headerKey(name) === headerKey(header)) headers.delete(name);

  if (location.type === 'query_param') url.search = withoutParameter(url.search, location.name);
}

/** Only the tool's URL can have a placeholder; every other location always exists. */
function hasLocation({ url }: Outgoing, location: CredentialLocation): boolean {
  return location.type !== 'url_path' || url.pathname.includes(inPath(location.placeholder));
}

function fillLocation({ url, headers }: Outgoing, { secretName, location }: Credential, secret: string): void {
  switch (location.type) {
    case 'bearer':
      headers.set('authorization', headerValue(secretName, `Bearer ${secret}`));
      return;
    case 'basic':
      headers.set('authorization', `Basic ${Buffer.from(`${location.username}:${secret}`).toString('base64')}`);
      return;
    case 'header':
      headers.set(location.name.toLowerCase(), headerValue(secretName, `${location.prefix ?? ''}${secret}`));
      return;
    case 'query_param': {
      const parameter = `${encodeURIComponent(location.name)}=${encodeURIComponent(secret)}`;
      url.search = url.search === '' ? parameter : `${url.search}&${parameter}`;
      return;
    }
    case 'url_path':
      fillPath(url, inPath(location.placeholder), secretName, secret);
  }
}

/** The secret must not change the request's target: it stays within the segment of the placeholder. */
function fillPath(url: URL, placeholder: string, secretName: string, secret: string): void {
  const encoded = encodeURIComponent(secret).replaceAll('%3A', ':').replaceAll('%40', '@');
  const path = url.pathname.replaceAll(placeholder, () => encoded);
  url.pathname = path;
  if (url.pathname !== path)
    throw new RequestRefused(`The secret ${secretName} does not fit into a path. Set it again.`);
}

function headerOf(location: CredentialLocation): string | undefined {
  if (location.type === 'header') return location.name;
  return location.type === 'bearer' || location.type === 'basic' ? 'authorization' : undefined;
}

function headerValue(secretName: string, value: string): string {
  if (isHeaderValue(value)) return value;
  throw new RequestRefused(
    `The secret ${secretName} does not fit into a header: it has more than one line, or is not ASCII. Set it again.`,
  );
}

function inPath(placeholder: string): string {
  return `%7B${placeholder}%7D`;
}

/** Other parameters keep their spelling. Case and `;` don't count: to some servers they don't. */
function withoutParameter(search: string, name: string): string {
  const isOther = (part: string) => part.split(';').every((pair) => nameOf(pair) !== name.toLowerCase());
  return search.slice(1).split('&').filter(isOther).join('&');
}

function nameOf(pair: string): string {
  return (new URLSearchParams(pair).keys().next().value ?? '').toLowerCase();
}
