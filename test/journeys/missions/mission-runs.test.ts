import { expect } from 'vitest';
import { journey } from '../../support/journey.ts';
import type { Service } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

type Run = { readonly slot: string; readonly status: string; readonly turn_id: string | null };

const NEVER = 3_600_000;
const test = journey().override('parts', { engineTimes: { heartbeatAlone: NEVER }, missions: { pollEveryMs: NEVER } });

async function call<T>(service: Service, method: string, route: string, body?: object): Promise<T> {
  const response = await service.request(route, { method, ...(body && { body: JSON.stringify(body) }) });
  return (await response.json()) as T;
}

test('a run that is asked for starts at once, not with the next heartbeat', async ({ service, home }) => {
  const schedule = { at: '2999-01-01T00:00', time_zone: 'UTC' };
  const mission = { name: 'm', instruction: 'say hello', schedule };
  const { id } = await call<{ id: string }>(service, 'POST', '/api/missions', mission);
  const route = `/api/missions/${id}`;
  const runs = async () => (await call<{ occurrences: Run[] }>(service, 'GET', `${route}/occurrences`)).occurrences;

  for (let number = 0; number < 5; number++) {
    const { slot } = await call<Run>(service, 'POST', `${route}/run`);
    await waitFor('it to start', async () => (await runs()).some((run) => run.slot === slot && run.turn_id));
    await waitFor('it to end', async () => (await home.query('select from turns where ended_at is null')).length === 0);
  }
  expect(await runs()).toHaveLength(5);
});
