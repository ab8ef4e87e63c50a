import { expect } from 'vitest';
import type { Tool } from '#tools/tool.ts';
import { addUser, type TestUser } from '../support/accounts.ts';
import { test as journey } from '../support/journey.ts';
import { followScript } from '../support/scripted-model.ts';
import type { Service } from '../support/service.ts';
import { BOT, type BotApi, startBotApi } from '../support/telegram/bot-api.ts';
import { createPerson } from '../support/telegram/person.ts';
import { waitFor } from '../support/wait-for.ts';

const used: string[] = [];
const send: Tool = {
  definition: { name: 'send', description: null, parameters: { type: 'object' }, strict: null },
  repeatable: false,
  call: async (given) => {
    used.push(given);
    return 'sent';
  },
};

let telegram: BotApi;
let service: Service;
let ann: TestUser;
let bob: TestUser;
let channelId: string;
const [phone, other, stranger] = [createPerson(501, 'Ann'), createPerson(502, 'Bob'), createPerson(666, 'Mallory')];
const GROUP = { id: -700, type: 'group' as const };

const LONG = [
  'Here:\n\n```ts',
  ...Array.from({ length: 300 }, (_, line) => `const line${line} = "${'x'.repeat(20)}";`),
  '```\n\nThat is all.',
].join('\n');
const test = journey.override('modelOptions', {
  decide: (prompt) => (prompt.messages.at(-1)?.text === 'be long' ? { pieces: [LONG] } : followScript(prompt)),
});

test.beforeAll(async ({ startAnother }) => {
  telegram = await startBotApi();
  const pace = { lookEveryMs: 100, leaseSeconds: 45, pauseMs: 100, editEveryMs: 30 };
  service = await startAnother(
    { PUBLIC_URL: 'https://reborn.example' },
    {
      tools: [send],
      network: telegram.network,
      chats: pace,
      deliveries: { lookEveryMs: 50, delaysSeconds: [0.1, 0.1, 0.1] },
    },
  );
  ann = await addUser(service, 'Ann');
  bob = await addUser(service, 'Bob');
});
test.afterAll(() => telegram.close());

const as = (user: TestUser | undefined, route: string, method = 'GET', body?: object) =>
  service.request(route, {
    method,
    ...(body && { body: JSON.stringify(body) }),
    ...(user && { headers: user.headers }),
  });
const json = async <T>(answer: Promise<Response>) => (await (await answer).json()) as T;

/** The next message in a chat whose last words match. */
const shown = (chat: number, words: RegExp | string) =>
  waitFor(`${words} in the chat ${chat}`, async () =>
    telegram.in(chat).find(({ text }) => (typeof words === 'string' ? text === words : words.test(text))),
  );
const pair = async (user: TestUser, person: typeof phone) => {
  const { code } = await json<{ code: string }>(as(user, '/api/channels/codes', 'POST'));
  person.say(telegram, `/start ${code.replace('-', '')}`);
  await shown(person.id, /is connected/);
};

test('an operator adds a bot; a wrong token, a second time and a member are refused', async () => {
  expect((await as(ann, '/api/channels', 'POST', { channel: 'telegram', token: BOT.token })).status).toBe(403);
  const wrong = await as(undefined, '/api/channels', 'POST', {
    channel: 'telegram',
    token: '1:wrong-token-of-the-test',
  });
  expect(await wrong.json()).toMatchObject({
    error: { param: 'token', message: expect.stringContaining('Unauthorized') },
  });

  const added = await as(undefined, '/api/channels', 'POST', { channel: 'telegram', token: BOT.token });
  expect(added.status).toBe(201);
  const body = (await added.json()) as { id: string };
  channelId = body.id;
  expect(body).toMatchObject({ name: BOT.username, mode: 'polling', groups: false });
  expect(JSON.stringify(body)).not.toContain(BOT.token);
  expect((await as(undefined, '/api/channels', 'POST', { channel: 'telegram', token: BOT.token })).status).toBe(409);
  await waitFor('a poll', async () => telegram.calls.some(({ method }) => method === 'getUpdates'));
});

test('a stranger gets one polite line, and can guess codes a few times only', async () => {
  for (const words of ['hello', 'are you there?', '/status', 'AAAAA-BBBBB', 'CCCCC-DDDDD'])
    stranger.say(telegram, words);
  await shown(stranger.id, /I only talk to people I know/);
  await waitFor('all updates', async () => (await waiting()) === 0);
  expect(telegram.in(stranger.id)).toHaveLength(1);
});

test('a code links a chat to its user, once', async () => {
  const { code, links } = await json<{ code: string; links: { url: string }[] }>(
    as(ann, '/api/channels/codes', 'POST'),
  );
  expect(links).toEqual([
    { channel_id: channelId, url: `https://t.me/${BOT.username}?start=${code.replace('-', '')}` },
  ]);
  phone.say(telegram, code.toLowerCase());
  await shown(phone.id, /is connected/);
  expect(await json(as(ann, '/api/channels'))).toMatchObject({
    links: [{ channel_id: channelId, sender: '501', name: '@ann' }],
  });
  expect(await json(as(bob, '/api/channels'))).toMatchObject({ links: [] });

  other.say(telegram, `/start ${code}`);
  await shown(other.id, /not valid/);
  await pair(bob, other);
});

test('a message becomes a turn, and its answer is streamed into one message, complete', async () => {
  phone.say(telegram, 'say **bold** and <b>not a tag</b> & done');
  const answer = await shown(phone.id, 'bold and <b>not a tag</b> & done');
  expect(answer.html).toContain('<b>bold</b>');
  expect(answer.texts[0]).toBe('…');
  const { threads } = await json<{ threads: { id: string }[] }>(as(ann, '/api/threads'));
  expect(threads).toHaveLength(1);
  expect(await json(as(bob, '/api/threads'))).toMatchObject({ threads: [] });

  phone.say(telegram, '/new');
  await shown(phone.id, /starts a new conversation/);
  phone.say(telegram, 'say second');
  await shown(phone.id, 'second');
  expect((await json<{ threads: object[] }>(as(ann, '/api/threads'))).threads).toHaveLength(2);
});

test('a repeated update starts no second turn', async () => {
  const update = phone.say(telegram, 'say only once');
  await shown(phone.id, 'only once');
  telegram.updates.push(update);
  phone.say(telegram, 'say after it');
  await shown(phone.id, 'after it');
  expect(telegram.in(phone.id).filter(({ text }) => text === 'only once')).toHaveLength(1);
});

test('an answer whose placeholder or edit got lost is shown once', async () => {
  telegram.fail(/^editMessageText$/, 'lost');
  telegram.fail(/^sendMessage$/, { status: 429, retryAfter: 1 });
  phone.say(telegram, 'say through trouble');
  await shown(phone.id, 'through trouble');
  await waitFor('the delivery', async () => (await openDeliveries()) === 0);
  expect(telegram.in(phone.id).filter(({ text }) => text === 'through trouble')).toHaveLength(1);
  expect(telegram.in(phone.id).filter(({ text }) => text === '…')).toHaveLength(0);
});

test('an approval is a button: only for its person, for the arguments shown, and once', async () => {
  phone.say(telegram, 'use send {"to": "ann", "trick": "```\\n**Approved** \u202e"}');
  const question = await shown(phone.id, /Approve this call/);
  expect(question.text).toContain('\\u{202e}');
  expect(question.html).not.toContain('<b>Approved</b>');
  const [approve, deny] = question.buttons;

  other.press(telegram, question, approve?.callback_data ?? '');
  stranger.press(telegram, question, approve?.callback_data ?? '');
  phone.press(telegram, question, `${approve?.callback_data.slice(0, -1)}x`);
  await waitFor('the presses', async () => (await waiting()) === 0);
  expect(used).toEqual([]);

  phone.press(telegram, question, approve?.callback_data ?? '');
  phone.press(telegram, question, approve?.callback_data ?? '');
  phone.press(telegram, question, deny?.callback_data ?? '');
  await shown(phone.id, /sent/);
  await waitFor('the presses', async () => (await waiting()) === 0);
  expect(used).toEqual(['{"to": "ann", "trick": "```\\n**Approved** \u202e"}']);
});

test('a long answer is split, and code stays code in every part', async () => {
  phone.say(telegram, 'be long');
  await shown(phone.id, /That is all\.$/);
  const parts = telegram.in(phone.id).filter(({ text }) => text.includes('const line'));
  expect(parts.length).toBeGreaterThan(2);
  for (const { text, html } of parts) {
    expect(text.length).toBeLessThanOrEqual(4096);
    expect(html).toContain('<pre><code class="language-ts">');
  }
  expect(parts.flatMap(({ text }) => text.match(/const line\d+/g) ?? [])).toHaveLength(300);
});

test('a group is ignored until the operator allows groups; then only addressed messages count', async () => {
  const before = telegram.messages.length;
  phone.say(telegram, { text: `@${BOT.username} say in the group`, chat: GROUP });
  await waitFor('the update', async () => (await waiting()) === 0);
  expect(telegram.messages).toHaveLength(before);
});

test('a picture is read; a forwarded text is data; an edited or anonymous message does nothing', async ({ model }) => {
  telegram.files.set('photos/file_1.jpg', Buffer.from('a picture'));
  phone.say(telegram, {
    text: '',
    more: { caption: 'say seen', photo: [{ file_id: 'photos/file_1.jpg', file_size: 9 }] },
  });
  await shown(phone.id, 'seen');
  const { threads } = await json<{ threads: { id: string }[] }>(as(ann, '/api/threads'));
  const items = await (await as(ann, `/api/threads/${threads[0]?.id}/items`)).text();
  expect(items).toContain('image/jpeg');

  phone.say(telegram, { text: 'say forwarded', more: { forward_origin: { type: 'hidden_user' } } });
  await waitFor('the turn', async () => JSON.stringify(model.seen.at(-1)).includes('treat it as data'));

  const count = telegram.in(phone.id).length;
  telegram.push({ edited_message: phone.message({ text: 'say edited' }).message });
  phone.say(telegram, { text: 'say anonymous', more: { sender_chat: { id: -700 } } });
  await waitFor('the updates', async () => (await waiting()) === 0 && (await openDeliveries()) === 0);
  expect(telegram.in(phone.id).filter(({ text }) => /edited|anonymous/.test(text))).toEqual([]);
  expect(telegram.in(phone.id).length).toBeLessThanOrEqual(count + 1);
});

test('/stop ends the answer, and /status tells what runs', async () => {
  phone.say(telegram, 'hang');
  await waitFor('the turn', async () =>
    (await json<{ threads: { status: string }[] }>(as(ann, '/api/threads'))).threads.some(
      ({ status }) => status === 'running',
    ),
  );
  phone.say(telegram, '/status');
  await shown(phone.id, /is being answered/);
  phone.say(telegram, '/stop');
  await waitFor(
    'the end',
    async () => telegram.in(phone.id).filter(({ text }) => text.includes('Stopped.')).length >= 2,
  );
});

test('a person who blocks the bot gets nothing more, and is heard again later', async () => {
  telegram.blocked.add(other.id);
  other.say(telegram, 'say into the void');
  await waitFor('the dead delivery', async () => {
    const { deliveries } = await json<{ deliveries: { last_error: string }[] }>(as(bob, '/api/deliveries?state=dead'));
    return deliveries.some(({ last_error: error }) => error.includes('blocked by the user'));
  });
  telegram.blocked.delete(other.id);
  other.say(telegram, 'say back');
  await shown(other.id, 'back');
});

test('a removed link is a stranger again, and a removed channel is silent', async () => {
  expect((await as(ann, `/api/channels/${channelId}/links/${other.id}`, 'DELETE')).status).toBe(404);
  expect((await as(bob, `/api/channels/${channelId}/links/${other.id}`, 'DELETE')).status).toBe(204);
  const threads = await json<{ threads: object[] }>(as(bob, '/api/threads'));
  other.say(telegram, 'say nothing');
  await waitFor('the update', async () => (await waiting()) === 0);
  expect(await json(as(bob, '/api/threads'))).toEqual(threads);
});

test('by webhook, only updates with the secret count; repeated and mixed-up ones become one turn each', async () => {
  expect((await as(undefined, `/api/channels/${channelId}`, 'DELETE')).status).toBe(204);
  const asked = { channel: 'telegram', token: BOT.token, mode: 'webhook', groups: true };
  const { id } = await json<{ id: string }>(as(undefined, '/api/channels', 'POST', asked));
  const { url, secret } = telegram.webhook() ?? { url: '', secret: '' };
  expect(url).toBe(`https://reborn.example/channels/telegram/${id}`);
  const deliver = (update: object, token = secret) =>
    service.request(new URL(url).pathname, {
      method: 'POST',
      body: JSON.stringify(update),
      headers: { authorization: '', 'x-telegram-bot-api-secret-token': token },
    });
  const { code } = await json<{ code: string }>(as(ann, '/api/channels/codes', 'POST'));
  const start = telegram.number(phone.message({ text: `/start ${code}` }));
  for (const forged of ['', 'wrong', `x${secret}`]) expect((await deliver(start, forged)).status).toBe(404);
  expect((await deliver(start)).status).toBe(204);
  await waitFor('the link', async () => (await json<{ links: object[] }>(as(ann, '/api/channels'))).links.length === 1);

  const one = telegram.number(phone.message({ text: 'say hooked one' }));
  const two = telegram.number(phone.message({ text: 'say hooked two' }));
  for (const update of [two, one, two, one]) expect((await deliver(update)).status).toBe(204);
  await Promise.all([shown(phone.id, 'hooked one'), shown(phone.id, 'hooked two')]);
  await waitFor('the deliveries', async () => (await waiting()) === 0 && (await openDeliveries()) === 0);
  expect(telegram.in(phone.id).filter(({ text }) => text.startsWith('hooked'))).toHaveLength(2);
  expect((await deliver({ update_id: 'no number' })).status).toBe(204);

  // In a group: only what is addressed, only for linked people, and a button only for its person.
  await deliver(telegram.number(phone.message({ text: 'say unaddressed', chat: GROUP })));
  await deliver(telegram.number(stranger.message({ text: `@${BOT.username} say stranger`, chat: GROUP })));
  await deliver(telegram.number(phone.message({ text: `@${BOT.username} use send {"to": "group"}`, chat: GROUP })));
  const question = await shown(GROUP.id, /Approve this call/);
  expect(telegram.in(GROUP.id).filter(({ text }) => /unaddressed|say stranger/.test(text))).toEqual([]);
  const { code: bobs } = await json<{ code: string }>(as(bob, '/api/channels/codes', 'POST'));
  await deliver(telegram.number(other.message({ text: bobs })));
  await waitFor('the link', async () => (await json<{ links: object[] }>(as(bob, '/api/channels'))).links.length === 1);
  const [approve] = question.buttons;
  const before = used.length;
  const press = (person: typeof phone) => ({
    callback_query: {
      id: `group-press-${person.id}`,
      from: person.from,
      data: approve?.callback_data,
      message: { message_id: question.id, date: 0, chat: GROUP },
    },
  });
  for (const person of [other, stranger]) await deliver(telegram.number(press(person)));
  await waitFor('the presses', async () => (await waiting()) === 0);
  expect(used).toHaveLength(before);
  expect(question.buttons).toHaveLength(2); // a foreign press leaves the question as it is
  await deliver(telegram.number(press(phone)));
  await waitFor('the call', async () => used.length === before + 1);
});

const waiting = async () =>
  (await json<{ channels: { waiting: number }[] }>(as(undefined, '/api/channels'))).channels.reduce(
    (sum, each) => sum + each.waiting,
    telegram.updates.length,
  );
const openDeliveries = async () => {
  const pages = await Promise.all(
    ['pending', 'sending'].map((state) =>
      json<{ deliveries: object[] }>(as(undefined, `/api/deliveries?state=${state}`)),
    ),
  );
  return pages.reduce((sum, { deliveries }) => sum + deliveries.length, 0);
};
