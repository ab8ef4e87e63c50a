import { setTimeout as sleep } from 'node:timers/promises';

/** The pauses grow with the time waited, because looking often in a long wait takes CPU time from what is waited for. */
const pauseAfter = (waitedMs: number) => Math.min(100, Math.max(10, waitedMs / 8));

/** Calls `look` until it returns something other than nothing, false or an empty text; throws after the deadline. */
export async function waitFor<T>(
  what: string,
  look: () => Promise<T | undefined | null | false | ''>,
  deadline = 90_000,
): Promise<T> {
  const begin = performance.now();
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false && found !== '') return found;
    const waited = performance.now() - begin;
    if (waited > deadline) throw new Error(`Waited ${deadline} ms for ${what}.`);
    await sleep(pauseAfter(waited));
  }
}
