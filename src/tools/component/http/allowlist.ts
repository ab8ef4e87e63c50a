import { isIP } from 'node:net';
import type { AllowedTarget } from '../capabilities/capabilities.ts';
import { matchesHost } from '../capabilities/host-pattern.ts';
import { isBelow, pathProblem } from '../capabilities/path-spelling.ts';
import { RequestRefused } from './tool-http-failure.ts';

/** The URL to send to, if the allowlist has it. What is checked is what will be sent: the URL after parsing. */
export function getAllowedUrl(allowlist: readonly AllowedTarget[], method: string, source: string): URL {
  const url = parseUrl(source);

  const ofHost = allowlist.filter(({ host }) => matchesHost(host, url.hostname));
  if (ofHost.length === 0) throw new RequestRefused(`The tool's allowlist does not have the host ${url.hostname}.`);

  const ofPath = ofHost.filter(({ pathPrefix }) => isBelow(pathPrefix, url.pathname));
  if (ofPath.length === 0)
    throw new RequestRefused(`The tool's allowlist does not have this path on ${url.hostname}: ${url.pathname}`);

  if (!ofPath.some(({ methods }) => methods.some((allowed) => allowed === method)))
    throw new RequestRefused(
      `The tool's allowlist does not have the method ${method} for ${url.hostname}${url.pathname}.`,
    );

  return url;
}

function parseUrl(source: string): URL {
  const [, authority, path] = /^https:\/\/([^/?#\\]+)([^?#]*)/i.exec(source) ?? [];
  if (authority === undefined || path === undefined)
    throw new RequestRefused('Only an absolute URL that begins with https:// can be requested.');

  const url = URL.parse(source);
  if (!url) throw new RequestRefused('The URL can not be parsed.');
  refuseAuthority(authority, url);

  // Parsing resolves dots, turns backslashes and drops line breaks, so the path is looked at before it, too.
  const problem = pathProblem(path) ?? pathProblem(url.pathname);
  if (problem) throw new RequestRefused(`The URL's path ${problem}.`);

  url.hash = '';
  return url;
}

function refuseAuthority(authority: string, url: URL): void {
  if (authority.includes('@')) throw new RequestRefused('The URL must not have a user name or password in it.');
  if (url.port !== '') throw new RequestRefused('The URL must not name a port: 443 is the only one.');
  if (url.hostname.startsWith('[') || isIP(url.hostname))
    throw new RequestRefused('The URL must name a host, not an IP address.');
}
