import { withoutUntrusted } from '#domain/text/untrusted.ts';

/** The hosts that the author of a text names, without `www.`; hosts in wrapped untrusted content do not count. */
export function hostsIn(text: string): Set<string> {
  const own = withoutUntrusted(text);
  const addresses = Array.from(own.matchAll(ADDRESS), ([address]) => address);
  const names = Array.from(own.replace(ADDRESS, ' ').matchAll(NAME), ([name]) => `https://${name}`);
  return new Set([...addresses, ...names].flatMap((each) => hostOf(each)));
}

export const bareHost = (host: string): string => host.replace(/^www\./, '');

function hostOf(address: string): string[] {
  const url = URL.parse(address);
  return url && !url.username ? [bareHost(url.hostname)] : [];
}

const ADDRESS = /https?:\/\/[^\s"'<>()[\]{}]{1,2000}/gi;

/** A separate name: not the end of an email address, not part of a longer name, and not what looks like a file name. */
const NAME =
  /(?<![\p{L}\p{N}@._/:-])(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,8}(?!(?:md|py|sh|rs|pl|zip|mov|ps|cc|so)(?![\p{L}\p{N}]))\p{L}{2,24}(?![\p{L}\p{N}@_-]|\.[\p{L}\p{N}])/giu;
