import { expect, onTestFinished } from 'vitest';
import { announceService } from '#cli/connect/running-service.ts';
import { chatCases, chatTest } from '../../support/chats/chat-cases.ts';
import type { Shown as ChatMessage, ChatPerson, ChatSide } from '../../support/chats/chat-side.ts';
import { byOthers, order, reasonToAsk } from '../../support/obeying-model.ts';
import { runReborn } from '../../support/run-reborn.ts';
import { TOKEN } from '../../support/service.ts';
import { BOT, type BotApi, type Shown, startBotApi } from '../../support/telegram/bot-api.ts';
import { createPerson } from '../../support/telegram/person.ts';
import { waitFor } from '../../support/wait-for.ts';

const test = chatTest();

let telegram: BotApi;
const [phone, other, stranger] = [createPerson(501, 'Ann'), createPerson(502, 'Bob'), createPerson(666, 'Mallory')];
const GROUP = { id: -700, type: 'group' as const };
const asked = { channel: 'telegram', token: BOT.token };

const messages = new Map<ChatMessage, Shown>();
const seen = (shown: Shown): ChatMessage => {
  const { text, texts, html, buttons, file } = shown;
  const message = {
    text,
    texts,
    markup: html,
    file,
    buttons: buttons.map((each) => ({ ...each, data: each.callback_data })),
  };
  messages.set(message, shown);
  return message;
};
const asPerson = (person: typeof phone): ChatPerson => ({
  id: String(person.id),
  linkedName: `@${person.from.username}`,
  say: (text) => person.say(telegram, text),
  sendFile: (file, words) => person.sendFile(telegram, file, words),
  press: (shown, data) => person.press(telegram, messages.get(shown) as Shown, data),
  shown: () => telegram.in(person.id).map(seen),
});

const { stage, as, json, shown, waiting, openDeliveries, used, posted } = chatCases(test, async () => {
  telegram = await startBotApi();
  const side: ChatSide = {
    channel: 'telegram',
    network: telegram.network,
    name: BOT.username,
    account: asked,
    wrong: { ...asked, token: '1:wrong-token-of-the-test' },
    problem: 'Unauthorized',
    secrets: [BOT.token],
    pending: () => telegram.updates.length,
    repeat: (update) => telegram.updates.push(update as (typeof telegram.updates)[number]),
    trouble: () => {
      telegram.fail(/^editMessageText$/, 'lost');
      telegram.fail(/^sendMessage$/, { status: 429, retryAfter: 1 });
    },
    loseFiles: () => {
      telegram.fail(/^editMessageMedia$/, 'lost', 2);
      telegram.fail(/^editMessageMedia$/, 'cut');
    },
    refuseFile: () => telegram.fail(/^editMessageMedia$/, { status: 400, description: 'Bad Request: no' }, 2),
    marked: { bold: '<b>bold</b>', code: '<pre><code class="language-ts">', most: 4096 },
    close: () => telegram.close(),
  };
  return { side, people: [asPerson(phone), asPerson(other), asPerson(stranger)] };
});
const inChat = (id: number) => ({ shown: () => telegram.in(id).map(seen) });

test('a code comes with a link that opens the chat and sends it', async () => {
  const { code, links } = await json<{ code: string; links: { url: string }[] }>(
    as(stage.ann, '/api/channels/codes', 'POST'),
  );
  expect(links).toEqual([
    { channel_id: stage.channelId, url: `https://t.me/${BOT.username}?start=${code.replace('-', '')}` },
  ]);
});

test('a group is ignored until the operator allows groups; then only addressed messages count', async () => {
  const before = telegram.messages.length;
  phone.say(telegram, { text: `@${BOT.username} say in the group`, chat: GROUP });
  await waitFor('the update', async () => (await waiting()) === 0);
  expect(telegram.messages).toHaveLength(before);
});

test('pings, link tricks and previews of a model reach no one', async () => {
  phone.say(
    telegram,
    'say @everyone [bank.com](https://evil.example/) [user](tg://user?id=502) ![x](https://e.example/?q=1)',
  );
  const answer = await shown(inChat(phone.id), /evil\.example/);
  expect(answer.text).toContain('bank.com (https://evil.example/)');
  expect(answer.markup.match(/href="[^"]*"/g)).toEqual(['href="https://e.example/?q=1"']);
  expect(answer.text).not.toContain('@everyone');
  const shows = telegram.calls.filter(({ method }) => /^(?:sendMessage|editMessageText)$/.test(method));
  for (const { payload } of shows) expect(payload['link_preview_options']).toEqual({ is_disabled: true });
});

test('a picture is read; a forwarded text is data; an edited or anonymous message does nothing', async ({ model }) => {
  telegram.files.set('photos/file_1.jpg', Buffer.from('a picture'));
  phone.say(telegram, {
    text: '',
    more: { caption: 'say seen', photo: [{ file_id: 'photos/file_1.jpg', file_size: 9 }] },
  });
  await shown(inChat(phone.id), 'seen');
  const { threads } = await json<{ threads: { id: string }[] }>(as(stage.ann, '/api/threads'));
  const items = await (await as(stage.ann, `/api/threads/${threads[0]?.id}/items`)).text();
  expect(items).toContain('image/jpeg');

  phone.say(telegram, { text: 'say forwarded', more: { forward_origin: { type: 'hidden_user' } } });
  await waitFor('the turn', async () =>
    model.seen.at(-1)?.messages.at(-1)?.text.includes('<untrusted-data source="forwarded">say forwarded<'),
  );

  const count = telegram.in(phone.id).length;
  telegram.push({ edited_message: phone.message({ text: 'say edited' }).message });
  phone.say(telegram, { text: 'say anonymous', more: { sender_chat: { id: -700 } } });
  await waitFor('the updates', async () => (await waiting()) === 0 && (await openDeliveries()) === 0);
  expect(telegram.in(phone.id).filter(({ text }) => /edited|anonymous/.test(text))).toEqual([]);
  expect(telegram.in(phone.id).length).toBeLessThanOrEqual(count + 1);
});

test('words of others make the agent ask before it acts; words that the person types do not', async ({ home }) => {
  const say = async (message: Parameters<typeof phone.say>[1]) => {
    phone.say(telegram, '/new');
    phone.say(telegram, message);
  };
  await say(order('typed'));
  await waitFor('the call', async () => posted.length === 1);

  const forwarded = { forward_origin: { type: 'hidden_user' } };
  await say({ text: order('forwarded'), more: forwarded });
  expect(await reasonToAsk(home, 'forwarded')).toMatchObject(byOthers('forwarded'));

  const answered = { reply_to_message: { from: { ...other.from, is_bot: false }, text: order('answered') } };
  await say({ text: 'say what it means', more: answered });
  expect(await reasonToAsk(home, 'answered')).toMatchObject(byOthers('quoted'));

  for (const [name, mark] of [
    ['sent', {}],
    ['passed on', forwarded],
  ] as const) {
    telegram.files.set('documents/a.txt', Buffer.from(order(name)));
    const document = { file_id: 'documents/a.txt', mime_type: 'text/plain', file_name: 'a.txt' };
    await say({ text: '', more: { caption: 'see', document, ...mark } });
    expect(await reasonToAsk(home, name)).toMatchObject({
      situation: 'both',
      because: [...('forward_origin' in mark ? byOthers('forwarded').because : []), { kind: 'file', name: 'a.txt' }],
    });
  }
  expect(posted).toEqual([JSON.stringify({ text: 'typed' })]);
  phone.say(telegram, '/new');
  await waitFor('the updates', async () => (await waiting()) === 0 && (await openDeliveries()) === 0);
});

test('a person who blocks the bot gets nothing more, and is heard again later', async () => {
  telegram.blocked.add(other.id);
  other.say(telegram, 'say into the void');
  await waitFor('the dead delivery', async () => {
    const { deliveries } = await json<{ deliveries: { last_error: string }[] }>(
      as(stage.bob, '/api/deliveries?state=dead'),
    );
    return deliveries.some(({ last_error: error }) => error.includes('blocked by the user'));
  });
  // It is the person's decision, not a fault of the installation.
  const metrics = await (await as(undefined, '/metrics')).text();
  expect(metrics).toContain('reborn_deliveries_dead_last_day{kind="chat"} 0');
  telegram.blocked.delete(other.id);
  other.say(telegram, 'say back');
  await shown(inChat(other.id), 'back');
});

test('the doctor asks the platform about the credentials, and reports that they are not accepted', async ({ home }) => {
  const { replica } = await json<{ replica: string }>(stage.service.request('/healthz'));
  onTestFinished(await announceService(home.home, { url: stage.service.url, replica }));
  const examine = async (...options: string[]) => {
    const env = { ...home.env, SERVICE_REBORN_WEBUI_TOKEN: TOKEN };
    const { stdout } = await runReborn(['doctor', '--json', ...options], { env });
    const findings = JSON.parse(stdout) as { check: string; level: string; message: string }[];
    return findings.filter(({ check, message }) => check === 'channels' && message.includes('credentials'));
  };
  expect(await examine()).toMatchObject([{ level: 'ok' }]);
  telegram.fail(/^getMe$/, { status: 401 });
  expect(await examine('--offline')).toEqual([]);
  const [found, ...more] = await examine();
  expect(more).toEqual([]);
  expect(found).toMatchObject({ level: 'problem', message: expect.stringContaining(BOT.username) });
  expect(JSON.stringify(found)).not.toContain(BOT.token);
});

test('/agent chooses who answers in a chat, over the assistant of the channel', async ({ home }) => {
  for (const name of ['house', 'poet'])
    expect((await as(undefined, '/api/assistants', 'POST', { name, for: 'everyone' })).status).toBe(201);
  const channel = `/api/channels/${stage.channelId}`;
  expect((await as(undefined, channel, 'PATCH', { assistant: 'nobody' })).status).toBe(400);
  expect(await json(as(undefined, channel, 'PATCH', { assistant: 'house' }))).toMatchObject({ assistant: 'house' });
  const asks = async (words: string) => {
    phone.say(telegram, `say ${words}`);
    await shown(inChat(phone.id), words);
    const [newest] = await home.query<{ name: string | null }>(
      `select request -> 'assistant' ->> 'name' as name from turns where channel = 'telegram' order by created_at desc limit 1`,
    );
    return newest?.name;
  };

  expect(await asks('by the house')).toBe('house');
  phone.say(telegram, '/agent');
  await shown(inChat(phone.id), /The assistant house answers here[^]*poet/);
  phone.say(telegram, '/agent nobody');
  await shown(inChat(phone.id), /no assistant of this name/);
  phone.say(telegram, '/agent poet');
  await shown(inChat(phone.id), /the assistant poet answers here/);
  expect(await asks('by the poet')).toBe('poet');
  expect(await asks(`of a long poem${', the sea is wide'.repeat(150)}`)).toBe('poet');
  phone.say(telegram, '/compact');
  await shown(inChat(phone.id), /next message begins with a summary/);
  phone.say(telegram, '/new');
  expect(await asks('a new poem')).toBe('poet');
  phone.say(telegram, '/agent off');
  await shown(inChat(phone.id), /the usual agent answers here/);
  expect(await asks('as usual')).toBeNull();
});

test('a removed link is a stranger again, and a removed channel is silent', async () => {
  expect((await as(stage.ann, `/api/channels/${stage.channelId}/links/${other.id}`, 'DELETE')).status).toBe(404);
  expect((await as(stage.bob, `/api/channels/${stage.channelId}/links/${other.id}`, 'DELETE')).status).toBe(204);
  const threads = await json<{ threads: object[] }>(as(stage.bob, '/api/threads'));
  other.say(telegram, 'say nothing');
  await waitFor('the update', async () => (await waiting()) === 0);
  expect(await json(as(stage.bob, '/api/threads'))).toEqual(threads);
});

test('by webhook, only updates with the secret count; repeated and mixed-up ones become one turn each', async () => {
  expect((await as(undefined, `/api/channels/${stage.channelId}`, 'DELETE')).status).toBe(204);
  const { id } = await json<{ id: string }>(
    as(undefined, '/api/channels', 'POST', { ...asked, mode: 'webhook', groups: true }),
  );
  const { url, secret } = telegram.webhook() ?? { url: '', secret: '' };
  expect(url).toBe(`https://reborn.example/channels/telegram/${id}`);
  const deliver = (update: object, token = secret) =>
    stage.service.request(new URL(url).pathname, {
      method: 'POST',
      body: JSON.stringify(update),
      headers: { authorization: '', 'x-telegram-bot-api-secret-token': token },
    });
  const { code } = await json<{ code: string }>(as(stage.ann, '/api/channels/codes', 'POST'));
  const start = telegram.number(phone.message({ text: `/start ${code}` }));
  for (const forged of ['', 'wrong', `x${secret}`]) expect((await deliver(start, forged)).status).toBe(404);
  expect((await deliver(start)).status).toBe(204);
  await waitFor(
    'the link',
    async () => (await json<{ links: object[] }>(as(stage.ann, '/api/channels'))).links.length === 1,
  );

  const one = telegram.number(phone.message({ text: 'say hooked one' }));
  const two = telegram.number(phone.message({ text: 'say hooked two' }));
  for (const update of [two, one, two, one]) expect((await deliver(update)).status).toBe(204);
  await Promise.all([shown(inChat(phone.id), 'hooked one'), shown(inChat(phone.id), 'hooked two')]);
  await waitFor('the deliveries', async () => (await waiting()) === 0 && (await openDeliveries()) === 0);
  expect(telegram.in(phone.id).filter(({ text }) => text.startsWith('hooked'))).toHaveLength(2);
  expect((await deliver({ update_id: 'no number' })).status).toBe(204);

  // In a group: only what is addressed, only for linked people, and a button only for its person.
  await deliver(telegram.number(phone.message({ text: 'say unaddressed', chat: GROUP })));
  await deliver(telegram.number(stranger.message({ text: `@${BOT.username} say stranger`, chat: GROUP })));
  await deliver(telegram.number(phone.message({ text: `@${BOT.username} use send {"to": "group"}`, chat: GROUP })));
  const question = await shown(inChat(GROUP.id), /Approve this call/);
  expect(telegram.in(GROUP.id).filter(({ text }) => /unaddressed|say stranger/.test(text))).toEqual([]);
  const { code: bobs } = await json<{ code: string }>(as(stage.bob, '/api/channels/codes', 'POST'));
  await deliver(telegram.number(other.message({ text: bobs })));
  await waitFor(
    'the link',
    async () => (await json<{ links: object[] }>(as(stage.bob, '/api/channels'))).links.length === 1,
  );
  const [approve] = question.buttons;
  const before = used.length;
  const press = (person: typeof phone) => ({
    callback_query: {
      id: `group-press-${person.id}`,
      from: person.from,
      data: approve?.data,
      message: { message_id: messages.get(question)?.id, date: 0, chat: GROUP },
    },
  });
  for (const person of [other, stranger]) await deliver(telegram.number(press(person)));
  await waitFor('the presses', async () => (await waiting()) === 0);
  expect(used).toHaveLength(before);
  expect(messages.get(question)?.buttons).toHaveLength(2); // a foreign press leaves the question as it is
  await deliver(telegram.number(press(phone)));
  await waitFor('the call', async () => used.length === before + 1);
});
