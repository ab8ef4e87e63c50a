import type { ToolLevel } from '#domain/tool-level.ts';
import { withoutUntrusted } from '#domain/untrusted.ts';

/**
 * An address is a message, too: whoever is asked learns it. So only hosts that the user has named are asked without
 * consent; what somebody else wrote into a user's message names none.
 */
export function fetchLevel(url: string, userTexts: readonly string[]): Extract<ToolLevel, 'allow' | 'ask'> {
  const host = URL.parse(url)?.hostname;
  if (!host) return 'allow'; // nobody will be asked
  return userTexts.some((text) => hostsIn(withoutUntrusted(text)).has(bare(host))) ? 'allow' : 'ask';
}

/** Whether both are one site by the usual custom. */
export const isSameSite = (one: URL, other: URL): boolean => bare(one.hostname) === bare(other.hostname);

const bare = (host: string) => host.replace(/^www\./, '');

function hostsIn(text: string): Set<string> {
  const addresses = Array.from(text.matchAll(ADDRESS), ([address]) => address);
  const names = Array.from(text.replace(ADDRESS, ' ').matchAll(NAME), ([name]) => `https://${name}`);
  return new Set([...addresses, ...names].flatMap((each) => hostOf(each)));
}

function hostOf(address: string): string[] {
  const url = URL.parse(address);
  return url && !url.username ? [bare(url.hostname)] : [];
}

const ADDRESS = /https?:\/\/[^\s"'<>()[\]{}]{1,2000}/gi;

/** A name that stands alone: not the end of a mail address, not a part of a longer name, and not what looks like a file. */
const NAME =
  /(?<![\p{L}\p{N}@._/:-])(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,8}(?!(?:md|py|sh|rs|pl|zip|mov|ps|cc|so)(?![\p{L}\p{N}]))\p{L}{2,24}(?![\p{L}\p{N}@_-]|\.[\p{L}\p{N}])/giu;
