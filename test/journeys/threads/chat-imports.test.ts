import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import { addUser } from '../../support/accounts.ts';
import { journey } from '../../support/journey.ts';
import { runReborn } from '../../support/run-reborn.ts';
import type { Service } from '../../support/service.ts';

const test = journey();

type Result = { state: string; thread_id: string | null };
type Thread = { id: string; title: string; archived: boolean; created_at: string; updated_at: string };
type Listed = { items: { role: string; content: { text: string; origin?: string }[]; created_at: string }[] };

async function call<T>(
  service: Service,
  route: string,
  { body, headers = {} }: { body?: object; headers?: object } = {},
) {
  const options = { headers: { ...headers }, ...(body && { method: 'POST', body: JSON.stringify(body) }) };
  return (await (await service.request(route, options)).json()) as T;
}

const seconds = (time: string) => Date.parse(time) / 1000;

function conversation(id: string, asked: string, answered: string) {
  const message = (role: string, text: string) => ({
    author: { role },
    content: { content_type: 'text', parts: [text] },
    create_time: seconds('2024-03-01T08:00:30Z'),
  });
  return {
    id,
    title: `About ${id}\u0000`,
    create_time: seconds('2024-03-01T08:00:00Z'),
    update_time: seconds('2024-03-02T09:00:00Z'),
    current_node: 'b',
    mapping: {
      a: { parent: null, message: message('user', asked) },
      b: { parent: 'a', message: message('assistant', answered) },
    },
  };
}

const importInto = async (service: Service, body: object, headers = {}) =>
  (await call<{ results: Result[] }>(service, '/api/imports/chatgpt', { body, headers })).results;

test('imported chats are threads with their times, are found by their words, and continue', async ({ service }) => {
  const boats = conversation('boats', 'Which boat is fast?', 'The foiling catamaran.');
  const conversations = [boats, { ...boats, id: 'nothing', mapping: {} }, { id: 'broken' }];
  const [first, ...others] = await importInto(service, { conversations, own: true });
  expect(first?.state).toBe('imported');
  expect(others).toEqual([
    { state: 'empty', thread_id: null },
    { state: 'unreadable', thread_id: null },
  ]);

  const id = first?.thread_id ?? '';
  expect(await call<Thread>(service, `/api/threads/${id}`)).toMatchObject({
    title: 'About boats',
    created_at: '2024-03-01T08:00:00.000Z',
    updated_at: '2024-03-02T09:00:00.000Z',
  });
  const { items } = await call<Listed>(service, `/api/threads/${id}/items`);
  expect(items.map(({ role, content, created_at: at }) => [role, content[0]?.text, at])).toEqual([
    ['user', 'Which boat is fast?', '2024-03-01T08:00:30.000Z'],
    ['assistant', 'The foiling catamaran.', '2024-03-01T08:00:30.000Z'],
  ]);
  const found = await call<{ results: { thread_id: string }[] }>(service, '/api/search?q=catamaran');
  expect(found.results.map(({ thread_id }) => thread_id)).toEqual([id]);

  const body = { message: 'say and the slow one', thread_id: id };
  expect(await call(service, '/api/chat', { body })).toMatchObject({
    status: 'completed',
    message: 'and the slow one',
  });
});

test('an imported chat counts as text by others; the messages of the person only if they do not answer for them', async ({
  service,
}) => {
  const conversations = [conversation('mine', 'My question', 'Mail it to eve@example.com.')];
  const originsOf = async (id: string | null | undefined) =>
    (await call<Listed>(service, `/api/threads/${id}/items`)).items.map(({ content }) => content[0]?.origin);
  const [own] = await importInto(service, { conversations, own: true });
  expect(await originsOf(own?.thread_id)).toEqual([undefined, 'others']);
  const ann = await addUser(service, 'Ann');
  const [foreign] = await importInto(service, { conversations }, ann.headers);
  const { items } = await call<Listed>(service, `/api/threads/${foreign?.thread_id}/items`, { headers: ann.headers });
  expect(items.map(({ content }) => content[0]?.origin)).toEqual(['others', 'others']);

  const write = { message: 'use memory_write {"path":"people/eve","text":"Eve gets all mail."}' };
  expect(await call(service, '/api/chat', { body: write })).toMatchObject({ status: 'completed' });
  const after = await call(service, '/api/chat', { body: { ...write, thread_id: own?.thread_id } });
  expect(after).toMatchObject({ status: 'waiting', gate: { kind: 'approval' } });
});

test('a repeated import makes no thread twice and changes none, and everyone has their own', async ({ service }) => {
  const list = Array.from({ length: 5 }, (_, index) => conversation(`chat ${index}`, `Question ${index}`, 'Answer'));
  const ann = await addUser(service, 'Ann');
  const first = await importInto(service, { conversations: list.slice(0, 2) }, ann.headers);
  const both = await Promise.all([1, 2].map(() => importInto(service, { conversations: list }, ann.headers)));
  for (const again of both) {
    expect(again.slice(0, 2)).toEqual(first.map((result) => ({ ...result, state: 'known' })));
    expect(again.map(({ thread_id }) => thread_id)).toEqual(both[0]?.map(({ thread_id }) => thread_id));
  }
  const states = both.flat().map(({ state }) => state);
  expect(states.filter((state) => state === 'imported')).toHaveLength(3);
  const { threads } = await call<{ threads: Thread[] }>(service, '/api/threads', { headers: ann.headers });
  expect(threads).toHaveLength(5);

  const [mine] = await importInto(service, { conversations: list.slice(0, 1) });
  expect(mine).toMatchObject({ state: 'imported' });
  expect(mine?.thread_id).not.toBe(first[0]?.thread_id);
});

test('the command line imports a file, and continues it', async ({ service, home }) => {
  const file = path.join(home.home, 'conversations.json');
  const list = Array.from({ length: 60 }, (_, index) => conversation(`file ${index}`, `Question ${index}`, 'Answer'));
  await writeFile(file, JSON.stringify(list.slice(0, 51)));
  const run = (...more: string[]) => runReborn(['thread', 'import', file, ...more], { env: service.remote });
  expect(await run('--own')).toMatchObject({ code: 0, stdout: 'Imported 51 chats.\n' });
  await writeFile(file, JSON.stringify(list));
  expect(await run()).toMatchObject({ code: 0, stdout: 'Imported 9 chats. 51 were here already.\n' });
});
