export type Times = { readonly p50: number; readonly p95: number };

/**
 * Times the same act in several databases: one call in each, then the next round, so that other work on the machine falls on all
 * of them. The first one of a round changes.
 */
export async function measureInTurns(acts: readonly (() => Promise<void>)[], rounds: number): Promise<Times[]> {
  const times = acts.map((): number[] => []);
  for (let round = 0; round < rounds; round++)
    for (const step of acts.keys()) {
      const index = (round + step) % acts.length;
      const started = performance.now();
      await acts[index]?.();
      times[index]?.push(performance.now() - started);
    }
  return times.map(percentilesOf);
}

export function percentilesOf(times: readonly number[]): Times {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { p50: at(0.5), p95: at(0.95) };
}
