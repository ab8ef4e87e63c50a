import type { Server } from './turn-servers.ts';

export type Ask = (server: Server, stream?: boolean) => Promise<{ first: number }>;
type Burst = { readonly cpu: number; readonly perSecond: number };

/** What a turn costs in two servers, as medians of several rounds. They alternate, so that a busy machine affects both alike. */
export async function compareTurns(
  ask: Ask,
  servers: { readonly ours: Server; readonly hand: Server },
  { atOnce, seconds, rounds }: { readonly atOnce: number; readonly seconds: number; readonly rounds: number },
) {
  const bursts = { ours: [] as Burst[], hand: [] as Burst[] };
  for (let round = 0; round < rounds; round++) {
    bursts.hand.push(await burst(ask, servers.hand, atOnce, seconds));
    bursts.ours.push(await burst(ask, servers.ours, atOnce, seconds));
  }
  const of = (who: keyof typeof bursts): Burst => ({
    cpu: median(bursts[who].map(({ cpu }) => cpu)),
    perSecond: median(bursts[who].map(({ perSecond }) => perSecond)),
  });
  const [ours, hand] = [of('ours'), of('hand')];
  return { ours, hand, ratio: ours.cpu / hand.cpu };
}

/** Runs turns for some seconds, `atOnce` at a time. CPU time is per turn, in ms. */
export async function burst(ask: Ask, server: Server, atOnce: number, seconds: number): Promise<Burst> {
  const started = performance.now();
  const cpu = server.cpu();
  let turns = 0;
  const lane = async () => {
    while (performance.now() - started < seconds * 1000) {
      await ask(server);
      turns++;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return { cpu: (server.cpu() - cpu) / turns, perSecond: turns / ((performance.now() - started) / 1000) };
}

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
