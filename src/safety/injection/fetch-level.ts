import type { ToolLevel } from '#domain/tool/tool.ts';
import { runApart, unlessGivenUp } from '../apart/worker-pool.ts';
import { bareHost, hostsIn } from './hosts-in.ts';

/** Longer texts are searched in another thread. */
const INLINE_LENGTH = 16 * 1024;

/**
 * A URL can carry data to its host. So only hosts that the user has named are fetched without consent; hosts in content
 * that others wrote into a user's message do not count.
 */
export async function fetchLevel(
  url: string,
  userTexts: readonly string[],
  lane = '',
): Promise<Extract<ToolLevel, 'allow' | 'ask'>> {
  const host = URL.parse(url)?.hostname;
  if (!host) return 'allow'; // no request will be made
  return (await isNamed(bareHost(host), userTexts, lane)) ? 'allow' : 'ask';
}

async function isNamed(host: string, texts: readonly string[], lane: string): Promise<boolean> {
  if (texts.reduce((sum, { length }) => sum + length, 0) <= INLINE_LENGTH)
    return texts.some((text) => hostsIn(text).has(host));
  const search = { program: 'safety/apart/run-rules', run: 'namesHost', input: { host, texts }, lane } as const;
  return (await unlessGivenUp(runApart<boolean>(search))) ?? false;
}

/** Whether both URLs have the same host, ignoring `www.`. */
export const isSameSite = (one: URL, other: URL): boolean => bareHost(one.hostname) === bareHost(other.hostname);
