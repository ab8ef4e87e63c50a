import type { clientOf } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';

type Client = Pick<ReturnType<typeof clientOf>, 'request'>;
type Run = { slot: string; status: string; reason: string | null; thread_id: string; tokens: number };

/** A mission that runs only by hand. */
export async function createMission(service: Client, instruction: string, more: object = {}): Promise<string> {
  const schedule = { at: '2999-01-01T00:00', time_zone: 'UTC' };
  const body = JSON.stringify({ name: 'Report', instruction, schedule, ...more });
  const made = await service.request('/api/missions', { method: 'POST', body });
  return ((await made.json()) as { id: string }).id;
}

/** Starts a run and waits until it has one of the statuses. */
export async function runMission(service: Client, id: string, statuses: readonly string[]): Promise<Run> {
  const started = await service.request(`/api/missions/${id}/run`, { method: 'POST' });
  const { slot } = (await started.json()) as Run;
  return waitFor('the run', async () => {
    const listed = await service.request(`/api/missions/${id}/occurrences`);
    const { occurrences } = (await listed.json()) as { occurrences: Run[] };
    return occurrences.find((run) => run.slot === slot && statuses.includes(run.status));
  });
}
