import type { clientOf } from './service.ts';
import { waitFor } from './wait-for.ts';

type Client = Pick<ReturnType<typeof clientOf>, 'request'>;

/**
 * Waits for a whole round of a background task: what it had not done by then, it does not do. The first round that ends may have
 * started before, so it does not count.
 */
export async function fullRound(service: Client, task: string): Promise<void> {
  const before = await countRounds(service, task);
  await waitFor(`a round of ${task}`, async () => (await countRounds(service, task)) >= before + 2);
}

async function countRounds({ request }: Client, task: string): Promise<number> {
  const metrics = await (await request('/metrics')).text();
  return Number(new RegExp(`^reborn_background_rounds_total\\{task="${task}"\\} (\\d+)`, 'm').exec(metrics)?.[1] ?? 0);
}
