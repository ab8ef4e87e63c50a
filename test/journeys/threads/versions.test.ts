import { expect } from 'vitest';
import { listItems } from '#channels/gateway/threads/item-routes.ts';
import { createMailTool } from '../../browser/mail-tool.ts';
import { journey } from '../../support/journey.ts';
import { type Service, spawnService } from '../../support/service.ts';
import { eventsOf, openSocket } from '../../support/socket.ts';
import { waitFor } from '../../support/wait-for.ts';

const { tool: mailTool } = createMailTool();
const test = journey().override({ parts: { tools: [mailTool] } });

type Asker = Pick<Service, 'request'>;
type Accepted = { readonly thread_id: string; readonly turn_id: string; readonly response_id: string };

async function post<T>(
  service: Asker,
  route: string,
  body: object = {},
  headers: Record<string, string> = {},
): Promise<T> {
  const response = await service.request(route, { method: 'POST', body: JSON.stringify(body), headers });
  const said = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${said}`);
  return (said === '' ? undefined : JSON.parse(said)) as T;
}

async function page(service: Asker, id: string) {
  const response = await service.request(`/api/threads/${id}/items`);
  return listItems.responses[200].json.parse(await response.json());
}

async function read(service: Asker, id: string) {
  const { items, ...rest } = await page(service, id);
  const said = items.flatMap((item) =>
    item.type === 'message'
      ? [item.content.map((part) => (part.type === 'text' ? part.text : part.media_type)).join(' ')]
      : [],
  );
  return { ...rest, items, said };
}

const chat = (service: Asker, message: string, more: object = {}) =>
  post<Accepted & { message: string }>(service, '/api/chat', { message, ...more });

/** Starts a version of the item at `index`, and waits for its end. */
async function ask(service: Asker, id: string, index: number, body: object = {}): Promise<Accepted> {
  const { items } = await page(service, id);
  const accepted = await post<Accepted>(service, `/api/threads/${id}/items/${items.at(index)?.id}/versions`, body);
  await idle(service, id);
  return accepted;
}

const idle = (service: Asker, id: string) =>
  waitFor('the thread to be idle', async () => {
    const thread = (await (await service.request(`/api/threads/${id}`)).json()) as { status: string };
    return thread.status !== 'running';
  });

const show = (service: Asker, id: string, turn: string | null | undefined) =>
  post(service, `/api/threads/${id}/versions/${turn}/show`);

test('a message is edited in place: the model sees the new line, and the arrows lead to the old one', async ({
  service,
}) => {
  const { thread_id: id } = await chat(service, 'say apple');
  await chat(service, 'say pear', { thread_id: id });
  await chat(service, 'say plum', { thread_id: id });
  expect(await read(service, id)).toMatchObject({ line: 0, versions: [] });

  const edited = await ask(service, id, 2, { text: 'recite quince' });
  const after = await read(service, id);
  expect(after.said.slice(0, 3)).toEqual(['say apple', 'apple', 'recite quince']);
  expect(after.said[3]).toContain('apple');
  expect(after.said[3]).not.toMatch(/pear|plum/);
  expect(after.said).toHaveLength(4);
  expect(after).toMatchObject({
    line: 1,
    versions: [{ turn_id: edited.turn_id, message: { number: 2, count: 2, next: null }, answer: null }],
  });

  await show(service, id, after.versions[0]?.message?.previous);
  const before = await read(service, id);
  expect(before.said).toEqual(['say apple', 'apple', 'say pear', 'pear', 'say plum', 'plum']);
  expect(before.versions).toMatchObject([{ message: { number: 1, count: 2, next: edited.turn_id } }]);
  const { message } = await chat(service, 'recite', { thread_id: id });
  expect(message).toContain('plum');
  expect(message).not.toContain('quince');
});

test('an answer is written again: its versions belong to the message, with its files', async ({ service }) => {
  const attachments = [{ media_type: 'image/png', data: Buffer.from('not a picture').toString('base64') }];
  const { thread_id: id } = await chat(service, 'say blue', { attachments });
  const second = await ask(service, id, -1);
  await ask(service, id, 0, { text: 'say red' });
  const fourth = await ask(service, id, -1);
  const { said, versions } = await read(service, id);
  expect(said).toEqual(['say red image/png', 'red']);
  expect(versions).toMatchObject([
    {
      turn_id: fourth.turn_id,
      message: { number: 2, count: 2, previous: second.turn_id },
      answer: { number: 2, count: 2 },
    },
  ]);
  expect((await (await service.request(`/api/threads/${id}`)).json()) as object).toMatchObject({
    title: 'say red',
    preview: 'say red',
    usage: { input_tokens: 40 },
  });
});

test('an attempt that failed is replaced: nothing leads back to it', async ({ service, model }) => {
  const { thread_id: id } = await chat(service, 'break 400');
  const failed = await read(service, id);
  expect(failed.said).toEqual(['break 400']);
  await ask(service, id, 0);
  await ask(service, id, 0, { text: 'say fine' });
  expect(await read(service, id)).toMatchObject({ said: ['say fine', 'fine'], versions: [] });
  expect(model.seen.length).toBeGreaterThan(2);
});

test('an answer after an approval is written again from its message on', async ({ service }) => {
  const { thread_id: id } = await chat(service, 'use send_mail {"to":"ann@example.com"}');
  const [first] = (await page(service, id)).items;
  const refused = await service.request(`/api/threads/${id}/items/${first?.id}/versions`, {
    method: 'POST',
    body: '{}',
  });
  expect(refused.status).toBe(409);
  expect(await refused.json()).toMatchObject({ error: { code: 'thread_busy' } });

  const { gates } = (await (await service.request('/api/gates')).json()) as {
    gates: { id: string; thread_id: string }[];
  };
  await post(service, `/api/gates/${gates.find((gate) => gate.thread_id === id)?.id}`, { answer: 'approve' });
  await idle(service, id);
  expect((await read(service, id)).said.at(-1)).toMatch(/^result/);
  await ask(service, id, -1, { text: undefined });
  const again = await page(service, id);
  expect(again.items.map(({ type }) => type)).toEqual(['message', 'function_call']);
  expect(again.versions).toMatchObject([{ message: null, answer: { number: 2, count: 2 } }]);
});

test('a running thread refuses a version, and a bad request changes nothing', async ({ service }) => {
  const { thread_id: id } = await chat(service, 'say calm');
  const { items } = await page(service, id);
  const [asked, answered] = items.map((item) => `/api/threads/${id}/items/${item.id}/versions`);
  const status = async (route: string | undefined, body: object) =>
    (await service.request(route ?? '', { method: 'POST', body: JSON.stringify(body) })).status;
  expect(await status(answered, { text: 'say loud' })).toBe(400);
  expect(await status(asked, { text: ' ' })).toBe(400);
  expect(await status(asked?.replace(/items\/[^/]+/, `items/${id}`), {})).toBe(404);
  expect(await status(`/api/threads/${id}/versions/${id}/show`, {})).toBe(404);

  await post(service, '/api/chat/send', { message: 'count 20 every 20', thread_id: id });
  expect(await status(asked, { text: 'say now' })).toBe(409);
  await idle(service, id);

  const key = { 'idempotency-key': 'the same version' };
  const one = await post<Accepted>(service, asked ?? '', { text: 'say once' }, key);
  const other = await post<Accepted>(service, asked ?? '', { text: 'say once' }, key);
  expect(other.turn_id).toBe(one.turn_id);
  await idle(service, id);
  expect(await read(service, id)).toMatchObject({ said: ['say once', 'once'], line: 1 });
});

test('everyone who watches the thread learns that another line is shown', async ({ service }) => {
  const { thread_id: id, response_id: first } = await chat(service, 'say one');
  const socket = await openSocket(service.url);
  try {
    socket.send({ type: 'subscribe', thread_id: id });
    const { turn_id: turn } = await ask(service, id, 0, { text: 'say two' });
    expect(await socket.first('line')).toMatchObject({ thread_id: id, line: 1 });
    await socket.ended(turn);
    expect(eventsOf(socket.seen).every((event) => event.turn_id === turn)).toBe(true);

    const { versions } = await page(service, id);
    const from = socket.seen.length;
    await show(service, id, versions[0]?.message?.previous);
    expect(await socket.first('line', from)).toMatchObject({ line: 2 });
    await show(service, id, versions[0]?.message?.previous);
    expect((await page(service, id)).line).toBe(2);
  } finally {
    socket.close();
  }

  // The Responses API stays a line: a response that continues any version continues the shown one.
  await show(service, id, (await page(service, id)).versions[0]?.message?.next);
  const continued = await service.ask('recite', { previous_response_id: first });
  const said = JSON.stringify(continued.output);
  expect(said).toContain('two');
  expect(said).not.toContain('say one');
});

test('searches, exports, forks and inspections keep to the line', async ({ service }) => {
  const { thread_id: id, response_id: response } = await chat(service, 'say heliotrope');
  const old = (await page(service, id)).items[0]?.turn_id;
  await ask(service, id, 0, { text: 'say magnolia' });
  const search = async (word: string) =>
    ((await (await service.request(`/api/search?q=${word}`)).json()) as { results: object[] }).results.length;
  expect([await search('heliotrope'), await search('magnolia')]).toEqual([0, 2]);
  const exported = await (await service.request(`/api/threads/${id}/export`)).text();
  expect(exported).toContain('magnolia');
  expect(exported).not.toContain('heliotrope');
  const fork = await post<{ id: string }>(service, `/api/threads/${id}/fork`);
  expect((await read(service, fork.id)).said).toEqual(['say magnolia', 'magnolia']);
  const inspected = await (await service.request(`/api/turns/${old}`)).text();
  expect(inspected).toContain('heliotrope');
  expect(inspected).not.toContain('magnolia');
  expect(JSON.stringify(await service.get(response))).toContain('heliotrope');
});

test('a shared link keeps the line that was shared, even if another one is shown later', async ({ service }) => {
  const { thread_id: id } = await chat(service, 'say harbour');
  await chat(service, 'say private', { thread_id: id });
  const edited = await ask(service, id, 2, { text: 'say public' });
  const response = await service.request(`/api/threads/${id}/share`, { method: 'PUT', body: '{}' });
  const { url } = (await response.json()) as { url: string };
  const shared = async () => (await service.request(`/api/shared/${url.split(/[/#]/).at(-1)}`)).text();
  const before = await shared();
  expect(before).toContain('public');
  await show(service, id, (await page(service, id)).versions[0]?.message?.previous);
  expect((await read(service, id)).said).toContain('private');
  expect(await shared()).toBe(before);

  await service.request(`/v1/responses/${edited.response_id}`, { method: 'DELETE' });
  const shorter = await shared();
  expect(shorter).toContain('harbour');
  expect(shorter).not.toMatch(/public|private/);
});

test('when a version is deleted, the newest other one is shown', async ({ service }) => {
  const { thread_id: id } = await chat(service, 'say first');
  await chat(service, 'say root', { thread_id: id });
  await chat(service, 'say leaf', { thread_id: id });
  const edited = await ask(service, id, 2, { text: 'say branch' });
  const remove = (response: string) => service.request(`/v1/responses/${response}`, { method: 'DELETE' });
  expect((await remove(edited.response_id)).ok).toBe(true);
  expect(await read(service, id)).toMatchObject({
    said: ['say first', 'first', 'say root', 'root', 'say leaf', 'leaf'],
    versions: [],
  });
});

test('a version whose process is killed is written by another process, once', async ({ service, home, model, env }) => {
  const { thread_id: id } = await chat(service, 'say begin');
  const doomed = await spawnService({ ...env, LLM_BASE_URL: model.urlFor('doomed') });
  let killed = false;
  model.hooks.onPrompt = ({ by }) => {
    if (by !== 'doomed') return;
    killed = true;
    void doomed.kill();
  };
  try {
    for (let tries = 0; tries < 20 && !killed; tries++) {
      await post(doomed, `/api/threads/${id}/items/${(await page(service, id)).items[0]?.id}/versions`, {
        text: `say number ${tries}`,
      }).catch(() => undefined);
      await idle(service, id);
    }
    expect(killed).toBe(true);
    const { said, line, items } = await read(service, id);
    expect(said).toEqual([`say number ${line - 1}`, `number ${line - 1}`]);
    const turn = items[0]?.turn_id ?? '';
    expect(await home.query(`select status, hidden, attempt > 0 as again from turns where id = '${turn}'`)).toEqual([
      { status: 'completed', hidden: false, again: true },
    ]);
  } finally {
    delete model.hooks.onPrompt;
    await doomed.kill();
  }
});
