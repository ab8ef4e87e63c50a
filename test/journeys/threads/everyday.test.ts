import { expect } from 'vitest';
import { addUser } from '../../support/accounts.ts';
import { journey } from '../../support/journey.ts';
import type { Service } from '../../support/service.ts';

const test = journey();

type Headers = Record<string, string>;
type SharedThread = {
  title: string;
  items: { id: string; type: string; role?: string; content?: { type: string; text?: string; url?: string }[] }[];
  next_after: string | null;
};

async function send(service: Service, method: string, route: string, body?: object, headers: Headers = {}) {
  const response = await service.request(route, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

const chat = async (service: Service, message: string, more: object = {}, headers: Headers = {}): Promise<string> =>
  (await send(service, 'POST', '/api/chat', { message, ...more }, headers)).body.thread_id;

/** Shares a thread, and returns the secret part of its link. */
async function share(service: Service, id: string, body: object = {}, headers: Headers = {}): Promise<string> {
  const made = await send(service, 'PUT', `/api/threads/${id}/share`, body, headers);
  expect(made.status).toBe(200);
  expect(made.body.url).toMatch(/^http:\/\/[^/]+\/shared\/[\w-]{32}$/);
  return String(made.body.url).split('/').at(-1) ?? '';
}

/** As a visitor who is not signed in. */
const visit = (service: Service, link: string, rest = '') => fetch(`${service.url}/api/shared/${link}${rest}`);
const read = async (service: Service, link: string, rest = '') =>
  (await (await visit(service, link, rest)).json()) as SharedThread;
const wordsOf = ({ items }: SharedThread) =>
  items.flatMap(({ type, content }) => content?.map((part) => part.text ?? part.type) ?? type);

test('a shared thread shows its messages up to that moment, and newer ones when it is shared again', async ({
  service,
  home,
}) => {
  const id = await chat(service, 'use reborn_time {}');
  await chat(service, 'say two', { thread_id: id });
  const link = await share(service, id);
  const shown = await read(service, link);
  expect(shown.items.map(({ type, role }) => `${type} ${role}`)).toEqual([
    'message user',
    'message assistant',
    'message user',
    'message assistant',
  ]);
  expect(JSON.stringify(shown)).not.toMatch(/reborn_time".*arguments|thread_id|usage|call_id/);

  await chat(service, 'say three', { thread_id: id });
  expect(wordsOf(await read(service, link))).not.toContain('three');
  const again = await send(service, 'PUT', `/api/threads/${id}/share`, { include_tools: true });
  const url = expect.stringContaining(`/shared/${link}`);
  expect(again.body).toMatchObject({ url, share: { include_tools: true, include_attachments: false } });
  expect((await send(service, 'GET', `/api/threads/${id}/share`)).body).toMatchObject({ url });
  const whole = await read(service, link);
  expect(wordsOf(whole)).toContain('three');
  expect(whole.items.map(({ type }) => type).slice(0, 4)).toEqual(['message', 'call', 'result', 'message']);

  const paged: SharedThread['items'] = [];
  for (let after: string | null = ''; after !== null; ) {
    const page: SharedThread = await read(service, link, `?limit=3${after && `&after=${after}`}`);
    paged.push(...page.items);
    after = page.next_after;
  }
  expect(paged).toEqual(whole.items);

  const stored = await home.query(`select encode(hash, 'hex') as hash, shares::text as row from shares`);
  expect(JSON.stringify(stored)).not.toContain(link);
  await home.query('update shares set hash = sha256(hash)'); // a replica of the version before made another link
  expect((await send(service, 'GET', `/api/threads/${id}/share`)).body).toMatchObject({ url: null });
  const audit = await send(service, 'GET', '/api/audit');
  expect(JSON.stringify(audit.body)).toContain('thread.share');
  expect(JSON.stringify(audit.body)).not.toContain(link);
});

test('attachments are hidden unless they are included', async ({ service }) => {
  const image = { type: 'image', media_type: 'image/png', data: Buffer.from('bytes').toString('base64') };
  const id = await chat(service, 'say seen', { attachments: [image] });
  const link = await share(service, id);
  const hidden = await read(service, link);
  expect(wordsOf(hidden)).toContain('hidden');
  const at = `/items/${hidden.items[0]?.id}/parts/${hidden.items[0]?.content?.findIndex(({ type }) => type === 'hidden')}`;
  expect((await visit(service, link, at)).status).toBe(404);
  await send(service, 'PUT', `/api/threads/${id}/share`, { include_attachments: true });
  const bytes = await visit(service, link, at);
  expect([bytes.status, await bytes.text()]).toEqual([200, 'bytes']);
  expect(bytes.headers.get('content-security-policy')).toContain("default-src 'none'");
});

test('a revoked, replaced, guessed or foreign link leads nowhere, and all of them look alike', async ({ service }) => {
  const [ann, bob] = [await addUser(service, 'Ann'), await addUser(service, 'Bob')];
  const id = await chat(service, 'say mine', {}, ann.headers);
  const route = `/api/threads/${id}/share`;
  expect((await send(service, 'PUT', route, {}, bob.headers)).status).toBe(404);
  const first = await share(service, id, {}, ann.headers);
  const second = await share(service, id, { new_link: true }, ann.headers);
  expect(await read(service, second)).toMatchObject({ title: 'say mine' });
  expect((await send(service, 'GET', '/api/shares', undefined, bob.headers)).body).toEqual({ shares: [] });
  expect((await send(service, 'GET', '/api/shares', undefined, ann.headers)).body.shares).toMatchObject([
    { thread_id: id, title: 'say mine' },
  ]);
  expect((await send(service, 'DELETE', route, undefined, bob.headers)).status).toBe(404);
  expect((await send(service, 'DELETE', route, undefined, ann.headers)).status).toBe(204);

  const guesses = [first, second, 'x'.repeat(32), 'short', `${second}x`, encodeURIComponent("' or 1=1 --"), id];
  const answers = await Promise.all(
    guesses.map(async (guess) => {
      const { status, headers } = await visit(service, guess);
      return [status, headers.get('x-robots-tag'), headers.get('cache-control')];
    }),
  );
  expect(answers).toEqual(guesses.map(() => [404, 'noindex, nofollow', 'no-store']));
});

test('a link ends with its thread and with its user', async ({ service, home }) => {
  const ann = await addUser(service, 'Ann');
  const id = await chat(service, 'say mine', {}, ann.headers);
  const link = await share(service, id, {}, ann.headers);
  await send(service, 'DELETE', `/api/threads/${id}`, undefined, ann.headers);
  expect((await visit(service, link)).status).toBe(404);
  expect(await home.query(`select 1 from shares where user_id = '${ann.id}'`)).toEqual([]);

  const another = await share(service, await chat(service, 'say more', {}, ann.headers), {}, ann.headers);
  expect((await visit(service, another)).status).toBe(200);
  await send(service, 'DELETE', `/api/users/${ann.id}`);
  expect((await visit(service, another)).status).toBe(404);
});

test('the operator turns sharing off, also for links that exist', async ({ service, startAnother }) => {
  const id = await chat(service, 'say mine');
  const link = await share(service, id);
  const closed = await startAnother({ SHARE_LINKS: 'false' });
  expect((await visit(closed, link)).status).toBe(404);
  const refused = await send(closed, 'PUT', `/api/threads/${id}/share`, {});
  expect(refused).toMatchObject({ status: 403, body: { error: { code: 'sharing_off' } } });
  expect((await send(closed, 'GET', '/api/me')).body.sharing).toBe(false);
  await closed.close();
});

test('prompt templates belong to one user, are replaced by name, and have bounds', async ({ service }) => {
  const [ann, bob] = [await addUser(service, 'Ann'), await addUser(service, 'Bob')];
  const put = (name: string, text: string, headers = ann.headers) =>
    send(service, 'PUT', `/api/templates/${name}`, { text }, headers);
  const list = async (headers: Headers) => (await send(service, 'GET', '/api/templates', undefined, headers)).body;
  expect(await put('review', 'Review {{file}}')).toMatchObject({ status: 200, body: { name: 'review' } });
  await put('review', 'Review {{file}} for {{reader}}');
  expect(await list(ann.headers)).toMatchObject({ templates: [{ text: 'Review {{file}} for {{reader}}' }] });
  expect(await list(bob.headers)).toEqual({ templates: [] });
  expect((await send(service, 'DELETE', '/api/templates/review', undefined, bob.headers)).status).toBe(404);
  expect((await put('Not A Name', 'x')).status).toBe(404);
  expect((await put('long', 'x'.repeat(20_001))).status).toBe(400);
  expect((await send(service, 'DELETE', '/api/templates/review', undefined, ann.headers)).status).toBe(204);
  await Promise.all(Array.from({ length: 200 }, (_, at) => put(`t${at}`, 'x')));
  expect(await put('one-more', 'x')).toMatchObject({ status: 400, body: { error: { param: 'name' } } });
  expect((await put('t1', 'changed')).status).toBe(200);
});

test('a policy of the operator applies from the next call on, is audited, and can be removed', async ({ service }) => {
  const route = '/api/tool-policies/reborn_time';
  expect(await send(service, 'PUT', route, { level: 'never' })).toMatchObject({ status: 200 });
  expect((await send(service, 'GET', '/api/tool-policies')).body.policies).toContainEqual({
    tool: 'reborn_time',
    level: 'never',
    after: 'clean',
  });
  const levels = async () => {
    const { tools } = (await send(service, 'GET', '/api/tools')).body as { tools: Record<string, string>[] };
    const tool = tools.find(({ name }) => name === 'reborn_time');
    return { level: tool?.['level'], own_level: tool?.['own_level'] };
  };
  expect(await levels()).toEqual({ level: 'never', own_level: 'allow' });
  const outputOf = async (id: string) =>
    JSON.stringify((await send(service, 'GET', `/api/threads/${id}/items`)).body.items[2].output);
  const refused = await outputOf(await chat(service, 'use reborn_time {}'));
  expect((await send(service, 'DELETE', route)).status).toBe(204);
  expect((await send(service, 'DELETE', route)).status).toBe(404);
  expect(await levels()).toEqual({ level: 'allow', own_level: 'allow' });
  expect(await outputOf(await chat(service, 'use reborn_time {}'))).not.toBe(refused);
  expect(refused).not.toMatch(/20\d\d-/);
  expect((await send(service, 'PUT', route, { level: 'sometimes' })).status).toBe(400);
  const unknown = '/api/tool-policies/reborn_tim';
  expect(await send(service, 'PUT', unknown, { level: 'never' })).toMatchObject({
    status: 404,
    body: { error: { message: 'The tool "reborn_tim" does not exist. Did you mean "reborn_time"?' } },
  });
  expect((await send(service, 'PUT', unknown, { level: 'never', not_yet: true })).status).toBe(200);
  expect((await send(service, 'DELETE', unknown)).status).toBe(204);
  expect((await send(service, 'PUT', '/api/tool-policies/a@b', { level: 'allow' })).status).toBe(404);
  expect(JSON.stringify((await send(service, 'GET', '/api/audit')).body)).toMatch(
    /policy\.set.*policy\.|policy\.unset/,
  );
});

test('visits from one address are limited', async ({ service }) => {
  const statuses = await Promise.all(Array.from({ length: 130 }, async () => (await visit(service, 'none')).status));
  expect(statuses).toContain(429);
});
