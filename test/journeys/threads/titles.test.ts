import { expect } from 'vitest';
import { addUser } from '../../support/accounts.ts';
import { journey } from '../../support/journey.ts';
import type { Service } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

const test = journey()
  .extend('settings', { scope: 'file' }, { TITLE_MODEL: '' } as Record<string, string>)
  .extend('parts', { scope: 'file' }, { titles: { pollEveryMs: 50 } });

type Thread = { id: string; title: string; renamed: boolean; channel: string };

const call = async <T>(service: Service, method: string, route: string, body?: object, headers = {}): Promise<T> => {
  const response = await service.request(route, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  return (await response.json()) as T;
};
const chat = async (service: Service, message: string, headers = {}) =>
  (await call<{ thread_id: string }>(service, 'POST', '/api/chat', { message }, headers)).thread_id;
const threadOf = (service: Service, id: string, headers = {}) =>
  call<Thread>(service, 'GET', `/api/threads/${id}`, undefined, headers);

/** How many prompts asked for a title. */
const asked = (model: { seen: readonly { messages: readonly { text: string }[] }[] }) =>
  model.seen.filter(({ messages }) => messages[0]?.text.startsWith('Write a title')).length;

const settled = (home: { query: (sql: string) => Promise<unknown[]> }) =>
  waitFor('all titles', async () => (await home.query('select 1 from title_requests')).length === 0 || undefined);

test('one replica names a new chat after its first turn, and the call is counted', async ({
  service,
  startAnother,
  model,
  home,
}) => {
  const another = await startAnother();
  const id = await chat(service, 'say The ferry to Oslo');
  const named = await waitFor('a title', async () => {
    const thread = await threadOf(service, id);
    return thread.title === 'The ferry to Oslo' ? thread : undefined;
  });
  expect(named).toMatchObject({ renamed: false, channel: 'chat' });
  await call(service, 'POST', '/api/chat', { message: 'say more', thread_id: id });
  await service.ask('say hello');
  await settled(home);
  expect(asked(model)).toBe(1);
  await another.close();

  const { usage } = await call<{ usage: { calls: number }[] }>(service, 'GET', '/api/usage?days=1');
  expect(usage.reduce((sum, day) => sum + day.calls, 0)).toBe(4);
  const list = async (channel: string) =>
    (await call<{ threads: Thread[] }>(service, 'GET', `/api/threads?channel=${channel}`)).threads.map(
      (each) => each.channel,
    );
  expect([await list('chat'), await list('api'), await list('webhook')]).toEqual([['chat'], ['api'], []]);
  const found = await call<{ threads: Thread[] }>(service, 'GET', '/api/threads?q=ferry');
  expect(found.threads).toHaveLength(1);
  const { results } = await call<{ results: { title: string }[] }>(service, 'GET', '/api/search?q=more');
  expect(results.map(({ title }) => title)).toContain('The ferry to Oslo');
});

test('a title from a person stays, and comes before the one of a model', async ({ service, model, home }) => {
  const before = asked(model);
  const { thread_id: id } = await call<{ thread_id: string }>(service, 'POST', '/api/chat/send', {
    message: 'count 10 every 50',
  });
  await call(service, 'PATCH', `/api/threads/${id}`, { title: 'Mine' });
  await settled(home);
  expect([await threadOf(service, id), asked(model)]).toMatchObject([{ title: 'Mine', renamed: true }, before]);
});

test('a user without budget gets no title, and one can turn titles off', async ({ service, model, home }) => {
  const [ann, bob] = [await addUser(service, 'Ann'), await addUser(service, 'Bob')];
  const before = asked(model);
  await call(service, 'PUT', `/api/users/${ann.id}/limits`, { tokens_per_day: 1, usd_per_day: null });
  const id = await chat(service, 'say hello', ann.headers);
  await settled(home);
  expect((await threadOf(service, id, ann.headers)).title).toBe('say hello');
  await call(service, 'PATCH', '/api/me', { generate_titles: false }, bob.headers);
  const other = await chat(service, 'say hello', bob.headers);
  expect(await home.query('select 1 from title_requests where thread_id = $1', [other])).toEqual([]);
  expect(asked(model)).toBe(before);
});

test('a try that ended in a crash is repeated once, and a model that fails is not asked again and again', async ({
  service,
  model,
  home,
}) => {
  const before = asked(model);
  await call(service, 'PATCH', '/api/me', { generate_titles: false });
  const [once, twice, broken] = [
    await chat(service, 'say one'),
    await chat(service, 'say two'),
    await chat(service, 'break 400'),
  ];
  const crashed = (id: string, tries: number) =>
    home.query(`insert into title_requests (thread_id, user_id, tries) values ($1, 'operator', ${tries})`, [id]);
  await crashed(once, 1);
  await crashed(twice, 2);
  await crashed(broken, 0);
  await crashed('00000000-0000-7000-8000-000000000000', 0);
  await settled(home);
  expect((await threadOf(service, once)).title).toBe('one');
  expect((await threadOf(service, twice)).title).toBe('say two');
  expect((await threadOf(service, broken)).title).toBe('break 400');
  expect(asked(model) - before).toBe(2);
});
