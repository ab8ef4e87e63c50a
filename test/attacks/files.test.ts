import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { hashOf } from '#domain/thread/attachment.ts';
import { isPossible } from '../sandbox/guest.ts';
import { addUser, type TestUser } from '../support/accounts.ts';
import { journey } from '../support/journey.ts';
import type { Service } from '../support/service.ts';

const test = journey()
  .override('settings', { SANDBOX: 'auto' })
  .extend('victim', { scope: 'file' }, ({ service }) => createVictim(service))
  .extend('ann', { scope: 'file' }, ({ service }) => addUser(service, 'Ann'));

const SECRET = 'canary-4711';

type Item = { readonly id: string; readonly output?: readonly { readonly type: string; readonly url?: string }[] };

/** A thread with a file in two versions, which was shown to its owner. */
async function createVictim(service: Service) {
  const message = [
    `use reborn_file_write ${JSON.stringify({ path: 'secret.txt', text: SECRET })}`,
    `use reborn_file_write ${JSON.stringify({ path: 'other.txt', text: 'more' })}`,
    'use reborn_file_present {"paths":["secret.txt"]}',
  ].join('\n');
  const { thread_id: thread } = await chat(service, message);
  const { items } = (await (await service.request(`/api/threads/${thread}/items`)).json()) as { items: Item[] };
  const shown = items.flatMap(({ output = [] }) => output).find(({ type }) => type === 'file')?.url ?? '';
  expect(await (await service.request(shown)).text()).toBe(SECRET);
  return { thread, shown };
}

async function chat(service: Service, message: string, headers = {}, thread?: string) {
  const body = JSON.stringify({ message, ...(thread && { thread_id: thread }) });
  const sent = await service.request('/api/chat', { method: 'POST', body, headers });
  return (await sent.json()) as { thread_id: string; message: string };
}

type Try = { readonly route: string; readonly method?: string; readonly body?: string; readonly headers?: object };

/** Everything that names a file, a version or a workspace. */
const TRIES: readonly (readonly [string, Try])[] = [
  ['lists', { route: 'files' }],
  ['lists an old version', { route: 'files?version=1' }],
  ['lists a version that never was', { route: 'files?version=99' }],
  ['reads by path', { route: 'files/secret.txt' }],
  ['reads an old version', { route: 'files/secret.txt?version=1' }],
  ['asks whether the file has this hash', { route: 'files/secret.txt', headers: etag() }],
  ['reads by hash', { route: `files/${hashOf(Buffer.from(SECRET))}` }],
  ['reads a file that never was', { route: 'files/none.txt' }],
  ['takes all', { route: 'files.zip' }],
  ['takes all of an old version', { route: 'files.zip?version=1' }],
  ['lists versions', { route: 'file-versions' }],
  ['lists versions of a file', { route: 'file-versions?path=secret.txt' }],
  ['writes', { route: 'files/secret.txt', method: 'PUT', body: 'hers' }],
  ['writes the same bytes', { route: 'files/secret.txt', method: 'PUT', body: SECRET }],
  ['removes', { route: 'files/secret.txt', method: 'DELETE' }],
  ['restores', { route: 'file-versions/1/restore', method: 'POST', body: '{}' }],
  ['restores a file', { route: 'file-versions/1/restore', method: 'POST', body: '{"path":"secret.txt"}' }],
  ['restores a version that never was', { route: 'file-versions/99/restore', method: 'POST', body: '{}' }],
  ['copies by a fork', { route: 'fork', method: 'POST', body: '{}' }],
  ['reads the items', { route: 'items' }],
];

function etag(): object {
  return { 'if-none-match': `"${hashOf(Buffer.from(SECRET))}"` };
}

/** The status, and the answer without the number of the request. */
async function answerTo(service: Service, { headers }: TestUser, thread: string, { route, ...init }: Try) {
  const answer = await service.request(`/api/threads/${thread}/${route}`, {
    ...init,
    headers: { ...init.headers, ...headers },
  });
  const text = await answer.text();
  return { status: answer.status, text: text.replaceAll(/"request_id":"[^"]*"/g, '').replaceAll(thread, 'THREAD') };
}

test.for(TRIES)(
  '53–57 another user %s: as if there were no such thread',
  async ([, tried], { service, victim, ann }) => {
    const answer = await answerTo(service, ann, victim.thread, tried);

    expect(answer.status).toBe(404);
    expect(answer).toEqual(await answerTo(service, ann, randomUUID(), tried));
    expect(await (await service.request(`/api/threads/${victim.thread}/files/secret.txt`)).text()).toBe(SECRET);
  },
);

test('53–57 another user finds no file that was shown, by its address', async ({ service, victim, ann }) => {
  expect((await service.request(victim.shown, { headers: ann.headers })).status).toBe(404);
});

test('53–57 the agent of another user finds nothing, by path, id and hash', async ({ service, victim, ann }) => {
  const hash = hashOf(Buffer.from(SECRET));
  const { thread_id: own } = await chat(service, 'say hello', ann.headers);
  const paths = ['secret.txt', `../${victim.thread}/secret.txt`, `/workspace/${victim.thread}/secret.txt`, hash];
  for (const path of paths)
    for (const [tool, given] of [
      ['read', { path }],
      ['present', { paths: [path] }],
    ] as const) {
      const { message } = await chat(service, `use reborn_file_${tool} ${JSON.stringify(given)}`, ann.headers, own);
      expect(message).not.toContain(SECRET);
      expect(message).toMatch(/does not exist|not (?:a )?valid|path/i);
    }
  const listed = await chat(service, 'use reborn_file_list {}', ann.headers, own);
  expect(listed.message).toBe('result: There are no files yet.');
  const found = await chat(service, `use reborn_file_find {"text":"canary"}`, ann.headers, own);
  expect(found.message).not.toContain(SECRET);
});

test('53–57 code of another user finds nothing on the machine', async ({ service, victim, ann, skip }) => {
  skip(!isPossible);
  await chat(service, 'use reborn_shell {"command":"cat secret.txt"}', {}, victim.thread); // a warm sandbox has it now
  const look = `ls -R /workspace; find / -xdev -name secret.txt 2>/dev/null; grep -rlas canary-47 /proc/*/environ /proc/*/cmdline /tmp /dev/shm | grep -v "$$"; echo done`;
  const { message } = await chat(service, `use reborn_shell ${JSON.stringify({ command: look })}`, ann.headers);
  expect(message).not.toContain('secret.txt');
  expect(message).toMatch(/done$/);
});
