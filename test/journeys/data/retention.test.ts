import { expect } from 'vitest';
import { newId } from '#domain/ids.ts';
import { addUser } from '../../support/accounts.ts';
import type { Home } from '../../support/fresh-home.ts';
import { journey } from '../../support/journey.ts';
import { runReborn } from '../../support/run-reborn.ts';
import type { Service } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

const test = journey().override('parts', { purgeThreadsEveryMs: 200 });

const DEFAULTS = {
  threads: null,
  versions: 30,
  notes: 365,
  jobs: 30,
  deliveries: 30,
  occurrences: 90,
  usage: 1095,
  audit: 1095,
};

async function call(service: Service, method: string, route: string, body?: object, headers?: Record<string, string>) {
  const init = { method, ...(body && { body: JSON.stringify(body) }), ...(headers && { headers }) };
  const response = await service.request(route, init);
  return { status: response.status, body: (await response.json()) as Record<string, Record<string, unknown>> };
}

/** Makes a thread look old. Its ID contains the time of its creation, too. */
async function age(home: Home, threadId: string, days: number): Promise<string> {
  const old = newId(Date.now() - (days + 1) * 86_400_000);
  await home.query(
    `with copy as (
       insert into threads (id, user_id, last_seq, updated_at)
       select $2, user_id, last_seq, now() - make_interval(days => $3) from threads where id = $1
     ), moved as (
       update items set thread_id = $2 where thread_id = $1
     )
     delete from threads where id = $1`,
    [threadId, old, days],
  );
  return old;
}

test('the operator sets limits for everyone and for one user; each is validated and audited', async ({ service }) => {
  const ann = await addUser(service, 'Ann');
  const own = `/api/users/${ann.id}/retention`;
  expect((await call(service, 'GET', '/api/retention')).body).toEqual({ days: DEFAULTS, set: {} });

  const set = await call(service, 'PUT', '/api/retention', { threads: 365, usage: null });
  expect(set.body).toEqual({ days: { ...DEFAULTS, threads: 365, usage: null }, set: { threads: 365, usage: null } });
  const { audit, ...owned } = DEFAULTS;
  expect(set.body['days']).toMatchObject({ audit });
  expect((await call(service, 'PUT', own, { threads: null })).body).toEqual({
    days: { ...owned, threads: null, usage: null },
    set: { threads: null },
  });
  // What is left out is inherited again.
  expect((await call(service, 'PUT', own, { jobs: 7 })).body).toMatchObject({
    days: { threads: 365, jobs: 7 },
    set: { jobs: 7 },
  });
  const seen = await call(service, 'GET', '/api/users/me/retention', undefined, ann.headers);
  expect(seen.body).toMatchObject({ days: { threads: 365, jobs: 7 } });

  const wrong: [string, object, string][] = [
    ['/api/retention', { threads: 0 }, 'threads'],
    ['/api/retention', { audit: 89 }, 'audit'],
    ['/api/retention', { usage: 36_501 }, 'usage'],
    ['/api/retention', { jobs: 1.5 }, 'jobs'],
    [own, { threads: '1' }, 'threads'],
  ];
  for (const [route, body, param] of wrong)
    expect(await call(service, 'PUT', route, body)).toMatchObject({ status: 400, body: { error: { param } } });
  expect((await call(service, 'PUT', own, { audit: 100 })).status).toBe(400);
  expect((await call(service, 'PUT', '/api/users/*/retention', { threads: 1 })).status).toBe(404);

  const { entries } = (await call(service, 'GET', '/api/audit')).body as unknown as { entries: object[] };
  expect(entries.slice(0, 2)).toMatchObject([
    { action: 'retention.set', subject: ann.id, detail: { jobs: 7, threads: 'inherited' } },
    { action: 'retention.set', subject: ann.id, detail: { threads: 'unlimited' } },
  ]);
});

test('the command shows and sets limits, and expired threads disappear while the service runs', async ({
  service,
  home,
}) => {
  const bob = await addUser(service, 'Retention-Bob');
  const ask = async (headers: { authorization: string }) =>
    (await call(service, 'POST', '/api/chat', { message: 'say hello' }, headers)).body[
      'thread_id'
    ] as unknown as string;
  const [old, kept] = [await age(home, await ask(bob.headers), 40), await ask(bob.headers)];

  const shown = await runReborn(['retention', 'show', '--user', 'Retention-Bob'], { env: service.remote });
  expect(shown.stdout).toMatch(/jobs +30 days +inherited/);
  const set = await runReborn(['retention', 'set', 'threads', '30', '--user', bob.id, '--json'], {
    env: service.remote,
  });
  expect(JSON.parse(set.stdout)).toMatchObject({ days: { threads: 30 }, set: { threads: 30 } });
  const wrong = await runReborn(['retention', 'set', 'threads', 'soon'], { env: service.remote });
  expect(wrong.stderr).toContain('"soon" is not a number of days');

  await waitFor('the thread to expire', async () => {
    const found = await home.query('select id from threads where user_id = $1', [bob.id]);
    return found.length === 1 && found[0]?.['id'] === kept;
  });
  expect(await home.query('select from items where thread_id = $1', [old])).toEqual([]);
  expect((await call(service, 'GET', `/api/threads/${kept}`, undefined, bob.headers)).status).toBe(200);
});
