import { isIP } from 'node:net';
import { EgressRefused } from './egress-failure.ts';

const HTTPS_PORT = 443;

/**
 * Returns the URL as it will be used; throws `EgressRefused` for one that is not allowed. Only port 443 and `namedPort` are
 * allowed, because other ports lead to services that are not web servers.
 */
export function checkTarget(method: string, address: URL | string, namedPort: number = HTTPS_PORT): URL {
  checkMethod(method);
  // A parser silently drops or changes these characters, so an earlier check of the text may have seen another host.
  if (typeof address === 'string' && /[\s\\\p{Cc}]/u.test(address))
    throw new EgressRefused('The address contains a space, a backslash or a control character. Encode it.');

  const url = URL.parse(String(address));
  if (!url) throw new EgressRefused('The address is not a URL. Write it like https://example.com/path.');
  if (url.protocol !== 'https:') throw new EgressRefused('Only https is allowed. Start the address with https://.');
  if (url.username || url.password)
    throw new EgressRefused('The address contains a user name or password. Send credentials in a header.');
  const port = Number(url.port || HTTPS_PORT);
  if (port !== HTTPS_PORT && port !== namedPort)
    throw new EgressRefused(`The port ${port} is not allowed. Leave it out: requests go to port ${HTTPS_PORT}.`);
  checkHost(url.hostname);
  return url;
}

/** The URL if it is of the origin that the operator allows. Its scheme, host and port are then not checked further. */
export function checkPrivateTarget(method: string, address: URL | string, origin: string | undefined): URL | undefined {
  const url = URL.parse(String(address));
  if (origin === undefined || url?.origin !== origin || !/^https?:$/.test(url.protocol)) return undefined;
  checkMethod(method);
  if (url.username || url.password)
    throw new EgressRefused('The address contains a user name or password. Send credentials in a header.');
  return url;
}

function checkMethod(method: string): void {
  if (!METHOD.test(method) || TUNNELS.includes(method))
    throw new EgressRefused('The method is not allowed. Use one such as GET or POST, in capitals.');
}

const METHOD = /^[A-Z]+(-[A-Z]+)*$/;
const TUNNELS = ['CONNECT', 'TRACE', 'TRACK'];

/** A parsed URL has every notation of an address (octal, hexadecimal, one number) in its usual form. */
export function checkHost(host: string): void {
  if (host.startsWith('[') || isIP(host) > 0)
    throw new EgressRefused('The host is an IP address. Use the name of a host.');
  if (host.endsWith('.')) throw new EgressRefused('The host ends with a dot. Leave the dot out.');
  if (!HOST_NAME.test(host) || host.length > 253)
    throw new EgressRefused('The host is not a full name. Write it like www.example.com.');
  if (INSIDE.some((name) => host.endsWith(`.${name}`)))
    throw new EgressRefused(`The host ${host} is a name for private networks. Use a host on the public internet.`);
}

/** At least two labels, so that no resolver completes the name. */
const HOST_NAME = /^([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Suffixes that never belong to a public host, even if a resolver knows them: reserved ones (`localhost`, `onion`, `alt`),
 * those of home and company networks (`lan`, `corp`), and those of clusters and clouds (`internal`, `local`).
 */
const INSIDE =
  'alt arpa consul corp domain home i2p internal intranet invalid lan local localdomain localhost mail onion private workgroup'.split(
    ' ',
  );
