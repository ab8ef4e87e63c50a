export type Burst = { readonly cpu: number; readonly perSecond: number };

/** Runs turns for some seconds, `atOnce` at a time. CPU time is per turn, in ms. */
export async function burst(
  turn: () => Promise<unknown>,
  cpu: () => number,
  { atOnce, seconds }: { readonly atOnce: number; readonly seconds: number },
): Promise<Burst> {
  const started = performance.now();
  const before = cpu();
  let turns = 0;
  const lane = async () => {
    while (performance.now() - started < seconds * 1000) {
      await turn();
      turns++;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return { cpu: (cpu() - before) / turns, perSecond: turns / ((performance.now() - started) / 1000) };
}

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
