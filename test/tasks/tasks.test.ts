// @module-tag slow
import { beforeEach, expect } from 'vitest';
import { fileList } from '#channels/gateway/files/file-shape.ts';
import { isPossible } from '../sandbox/guest.ts';
import { journey } from '../support/journey.ts';
import type { Service } from '../support/service.ts';
import { PICTURE_TASKS } from './picture-tasks.ts';
import { TABLE_TASKS } from './table-tasks.ts';
import { type Done, file, present, shell, type Task, type ToolCall } from './task.ts';
import { TEXT_TASKS } from './text-tasks.ts';

/*
 * What people ask an agent for, with the calls that a good model makes, and a checker that opens the result. Not covered:
 * Parquet and HEIC, for which no library is installed.
 */
const test = journey().override('settings', { SANDBOX: 'auto' });
beforeEach(({ skip }) => skip(!isPossible));

type Part = { type: string; text?: string; url?: string; filename?: string };

const MOST_ATTACHED = 10;

async function send(service: Service, calls: readonly ToolCall[], more: object = {}): Promise<string> {
  // The texts of attachments follow the last line.
  const message = [...calls.map(({ name, given }) => `use ${name} ${JSON.stringify(given)}`), 'Thanks.'].join('\n');
  const body = JSON.stringify({ message, ...more });
  const sent = await service.request('/api/chat', { method: 'POST', body });
  const { thread_id: thread, status } = (await sent.json()) as { thread_id: string; status: string };
  expect(status).toBe('completed');
  return thread;
}

/** Sends the first message with its files. */
async function begin(service: Service, { files, calls: [first = []] }: Task): Promise<string> {
  const given = Object.entries(files).map(([path, content]) => [path, Buffer.from(content)] as const);
  if (given.length <= MOST_ATTACHED) {
    const attachments = given.map(([name, bytes]) => ({
      name,
      media_type: 'application/octet-stream',
      data: bytes.toString('base64'),
      origin: 'own',
    }));
    return send(service, first, { attachments });
  }
  const thread = await send(service, []);
  for (const [path, body] of given)
    await service.request(`/api/threads/${thread}/files/${path}?own=true`, { method: 'PUT', body });
  await send(service, first, { thread_id: thread });
  return thread;
}

function threadOf(service: Service, thread: string): Done {
  const { request } = service;
  const bytesAt = async (route: string) => {
    const answer = await request(route);
    expect([route, answer.status]).toEqual([route, 200]);
    return Buffer.from(await answer.arrayBuffer());
  };
  const outputsOf = async () => {
    const { items } = (await (await request(`/api/threads/${thread}/items`)).json()) as {
      items: { output?: Part[] }[];
    };
    return items.flatMap(({ output }) => (output ? [output] : []));
  };
  return {
    read: (path) => bytesAt(`/api/threads/${thread}/files/${encodeURIComponent(path)}`),
    list: async () =>
      fileList.parse(await (await request(`/api/threads/${thread}/files`)).json()).files.map(({ path }) => path),
    outputs: async () =>
      (await outputsOf()).map((parts) => parts.map(({ text = '' }) => text.replace(FRESH, '')).join('')),
    async presented() {
      const files = new Map<string, Buffer>();
      for (const { type, filename = '', url = '' } of (await outputsOf()).flat())
        if (type === 'file') files.set(filename, await bytesAt(url));
      return files;
    },
    pictures: async () =>
      Promise.all((await outputsOf()).flat().flatMap(({ type, url = '' }) => (type === 'image' ? [bytesAt(url)] : []))),
  };
}

const FRESH = '(new interpreter: variables of earlier calls are gone, files are not)\n';

test.for([...TABLE_TASKS, ...PICTURE_TASKS, ...TEXT_TASKS].map((task) => [task.title, task] as const))(
  '%s',
  async ([, task], { service }) => {
    const thread = await begin(service, task);
    for (const calls of task.calls.slice(1)) await send(service, calls, { thread_id: thread });
    await task.check(threadOf(service, thread));
  },
);

test("continue yesterday's work on another replica", async ({ service, startAnother }) => {
  const thread = await send(service, [shell('seq 5 > numbers.txt; echo "sum so far: 15" > notes.md')]);
  const other = await startAnother();
  await send(other, [file('read', { path: 'notes.md' }), shell('echo 6 >> numbers.txt; paste -sd+ numbers.txt | bc')], {
    thread_id: thread,
  });
  const { outputs, read } = threadOf(other, thread);
  expect((await outputs())[1]).toContain('sum so far: 15');
  expect((await outputs())[2]).toMatch(/^21\n/);
  expect((await read('numbers.txt')).toString()).toBe('1\n2\n3\n4\n5\n6\n');
  await other.close();
});

test('undo the last change, and hand over the older file', async ({ service }) => {
  const thread = await send(service, [file('write', { path: 'poem.txt', text: 'Roses are red\n' })]);
  await send(service, [shell('tr a-z A-Z < poem.txt > new.txt && mv new.txt poem.txt')], { thread_id: thread });
  const { read, presented } = threadOf(service, thread);
  expect((await read('poem.txt')).toString()).toBe('ROSES ARE RED\n');
  const restored = await service.request(`/api/threads/${thread}/file-versions/1/restore`, {
    method: 'POST',
    body: '{}',
  });
  expect(restored.status).toBe(200);
  await send(service, [present('poem.txt')], { thread_id: thread });
  expect((await presented()).get('poem.txt')?.toString()).toBe('Roses are red\n');
});
