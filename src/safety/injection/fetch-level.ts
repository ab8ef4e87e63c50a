import type { ToolLevel } from '#domain/tool/tool.ts';
import { GivenUp, runApart } from '../apart/worker-pool.ts';
import { bareHost, hostsIn } from './hosts-in.ts';

/** Above this, texts are searched in another thread. */
const INLINE_LENGTH = 16 * 1024;

/**
 * An address is a message, too: whoever is asked learns it. So only hosts that the user has named are asked without
 * consent; what somebody else wrote into a user's message names none.
 */
export async function fetchLevel(
  url: string,
  userTexts: readonly string[],
  lane = '',
): Promise<Extract<ToolLevel, 'allow' | 'ask'>> {
  const host = URL.parse(url)?.hostname;
  if (!host) return 'allow'; // nobody will be asked
  return (await isNamed(bareHost(host), userTexts, lane)) ? 'allow' : 'ask';
}

async function isNamed(host: string, texts: readonly string[], lane: string): Promise<boolean> {
  if (texts.reduce((sum, { length }) => sum + length, 0) <= INLINE_LENGTH)
    return texts.some((text) => hostsIn(text).has(host));
  try {
    return await runApart({ program: 'safety/apart/run-rules', run: 'namesHost', input: { host, texts }, lane });
  } catch (error) {
    if (error instanceof GivenUp) return false;
    throw error;
  }
}

/** Whether both are one site by the usual custom. */
export const isSameSite = (one: URL, other: URL): boolean => bareHost(one.hostname) === bareHost(other.hostname);
