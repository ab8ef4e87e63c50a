import { type Burst, burst, median } from './burst.ts';
import type { Server } from './turn-servers.ts';

export type Ask = (server: Server, stream?: boolean) => Promise<{ first: number }>;

/** What a turn costs in two servers, as medians of several rounds. They alternate, so that a busy machine affects both alike. */
export async function compareTurns(
  ask: Ask,
  servers: { readonly ours: Server; readonly hand: Server },
  { atOnce, seconds, rounds }: { readonly atOnce: number; readonly seconds: number; readonly rounds: number },
) {
  const bursts = { ours: [] as Burst[], hand: [] as Burst[] };
  for (let round = 0; round < rounds; round++) {
    bursts.hand.push(await burst(() => ask(servers.hand), servers.hand.cpu, { atOnce, seconds }));
    bursts.ours.push(await burst(() => ask(servers.ours), servers.ours.cpu, { atOnce, seconds }));
  }
  const of = (who: keyof typeof bursts): Burst => ({
    cpu: median(bursts[who].map(({ cpu }) => cpu)),
    perSecond: median(bursts[who].map(({ perSecond }) => perSecond)),
  });
  const [ours, hand] = [of('ours'), of('hand')];
  return { ours, hand, ratio: ours.cpu / hand.cpu };
}
