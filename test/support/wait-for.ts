import { setTimeout as sleep } from 'node:timers/promises';

/** Calls `look` until it returns something other than nothing, false or an empty text; throws after the deadline. */
export async function waitFor<T>(
  what: string,
  look: () => Promise<T | undefined | null | false | ''>,
  deadline = 90_000,
): Promise<T> {
  const end = performance.now() + deadline;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false && found !== '') return found;
    if (performance.now() > end) throw new Error(`Waited ${deadline} ms for ${what}.`);
    await sleep(20);
  }
}
