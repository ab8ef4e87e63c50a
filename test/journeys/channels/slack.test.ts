import { expect } from 'vitest';
import { chatCases, chatTest } from '../../support/chats/chat-cases.ts';
import type { ChatPerson, ChatSide, Shown } from '../../support/chats/chat-side.ts';
import { byOthers, order, reasonToAsk } from '../../support/obeying-model.ts';
import { createPerson } from '../../support/slack/person.ts';
import { APP, type Posted, sign, startWorkspace, type Workspace } from '../../support/slack/workspace.ts';
import { waitFor } from '../../support/wait-for.ts';

const test = chatTest();

let slack: Workspace;
const people = [createPerson('U501', 'Ann'), createPerson('U502', 'Bob'), createPerson('U666', 'Mallory')] as const;
const [phone, other, stranger] = people;
const asked = { channel: 'slack', token: APP.token, app_token: APP.appToken, signing_secret: APP.signingSecret };

const posts = new Map<Shown, Posted>();
const seen = (posted: Posted): Shown => {
  const message = { ...posted, markup: posted.mrkdwn };
  posts.set(message, posted);
  return message;
};
const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const asPerson = (person: typeof phone): ChatPerson => ({
  id: person.id,
  linkedName: person.id,
  say: (text) => person.say(slack, escape(text)),
  sendFile: (file, words) => person.sendFile(slack, file, escape(words)),
  press: (message, data) => slack.sockets.deliver('interactive', person.press(posts.get(message) as Posted, data)),
  shown: () =>
    inChat(person.home)
      .shown()
      .filter((message) => !posts.get(message)?.onlyFor),
});
const inChat = (chat: string) => ({ shown: () => slack.in(chat).map(seen) });

const { stage, as, json, shown, settled, createCode, used, posted } = chatCases(test, async () => {
  slack = await startWorkspace();
  const side: ChatSide = {
    channel: 'slack',
    network: slack.network,
    name: APP.name,
    account: asked,
    wrong: { ...asked, token: 'xoxb-wrong-token-of-the-test' },
    problem: 'invalid_auth',
    secrets: [APP.token, APP.appToken, APP.signingSecret],
    pending: () => slack.sockets.waiting.size,
    repeat: (update) => slack.sockets.deliver('events_api', update as object),
    trouble: () => {
      slack.fail(/^chat\.update$/, 'lost');
      slack.fail(/^chat\.postMessage$/, { status: 429, retryAfter: 1 });
    },
    loseFiles: () => {
      slack.fail(/^files\.completeUploadExternal$/, 'lost');
      slack.fail(/^files\.info$/, 'cut');
      slack.fail(/^upload$/, 'lost');
    },
    refuseFile: () => slack.fail(/^files\.getUploadURLExternal$/, { status: 200, description: 'missing_scope' }),
    marked: { bold: '*bold*', code: '```', most: 4000 },
    close: () => slack.close(),
  };
  return { side, people: [asPerson(phone), asPerson(other), asPerson(stranger)] };
});

test('a channel needs the secrets of its mode', async () => {
  for (const [body, param] of [
    [{ channel: 'slack', token: APP.token }, 'app_token'],
    [{ channel: 'slack', token: APP.token, mode: 'webhook' }, 'signing_secret'],
    [{ channel: 'slack', token: '4242:a-token-of-telegram' }, 'token'],
  ] as const) {
    const refused = await as(undefined, '/api/channels', 'POST', body);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: { param } });
  }
});

test('an event is acknowledged once it is stored, and a mention that arrives twice is one turn', async () => {
  const event = phone.event(slack, { text: 'say stored first' });
  const mention = { ...event, event_id: 'EvOther', event: { ...event.event, type: 'app_mention' } };
  const ids = [event, mention].map((each) => slack.sockets.deliver('events_api', each));
  await shown(stage.phone, 'stored first');
  await settled();
  expect(slack.sockets.acknowledged.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
  expect(stage.phone.shown().filter(({ text }) => text === 'stored first')).toHaveLength(1);
});

test('a lost placeholder is found again, and a deleted message is written again', async () => {
  slack.fail(/^chat\.postMessage$/, 'lost');
  phone.say(slack, 'say found again');
  await shown(stage.phone, 'found again');
  await settled();
  expect(stage.phone.shown().filter(({ text }) => text === '…')).toEqual([]);
  expect(slack.calls.some(({ method }) => method === 'conversations.history')).toBe(true);

  slack.fail(/^chat\.update$/, { status: 200, description: 'message_not_found' });
  phone.say(slack, 'say rewritten');
  await shown(stage.phone, 'rewritten');
  await settled();
});

test('a thread is a conversation, and is answered in the thread', async () => {
  const root = slack.nextTs();
  phone.say(slack, { text: 'say inside', thread: root });
  const answer = await shown(inChat(`${phone.home}/${root}`), 'inside');
  expect(posts.get(answer)?.thread).toBe(root);
});

test('pings, link tricks and previews of a model reach no one', async () => {
  phone.say(
    slack,
    escape('say <!channel> <@U502> @here [bank.com](https://evil.example/) [docs](https://a.example/?q=1|2)'),
  );
  const answer = await shown(stage.phone, /evil\.example/);
  const post = posts.get(answer);
  expect(post?.pings).toEqual([]);
  expect(answer.text).toContain('bank.com (https://evil.example/)');
  expect(post?.links).toEqual([{ url: 'https://a.example/?q=1%7C2', label: 'docs' }]);
  for (const { payload } of slack.calls.filter(({ method }) => method === 'chat.postMessage'))
    expect(payload).toMatchObject({ unfurl_links: 'false', unfurl_media: 'false', parse: 'none' });
});

test('files are read from Slack alone; shared words are data; edits, bots and other workspaces do nothing', async ({
  model,
}) => {
  slack.files.set('/files-pri/T0-F1/download/plan.png', Buffer.from('a picture'));
  const file = (url: string) => ({ name: 'plan.png', mimetype: 'image/png', size: 9, url_private_download: url });
  const before = slack.calls.length;
  phone.say(slack, {
    text: 'say seen',
    more: {
      subtype: 'file_share',
      files: [
        file('https://files.slack.com/files-pri/T0-F1/download/plan.png'),
        file('https://evil.example/files-pri/T0-F1/download/plan.png'),
        file('https://files.slack.com@evil.example/files-pri/T0-F1/download/plan.png'),
      ],
    },
  });
  await shown(stage.phone, /^seen/);
  expect(slack.calls.slice(before).length).toBeGreaterThan(0);
  const { threads } = await json<{ threads: { id: string }[] }>(as(stage.ann, '/api/threads'));
  const items = await (await as(stage.ann, `/api/threads/${threads[0]?.id}/items`)).text();
  expect(items).toContain('image/png');
  expect(items.match(/could not be read/g)).toHaveLength(2);

  phone.say(slack, { text: 'say shared', more: { attachments: [{ is_share: true, text: 'say shouted' }] } });
  await shown(stage.phone, /^shared/);
  expect(model.seen.at(-1)?.messages.at(-1)?.text).toContain('<untrusted-data source="shared">say shouted<');
  await settled();

  const guest = createPerson('U777', 'Eve', 'T0OTHER');
  phone.say(slack, { text: '', more: { subtype: 'message_changed', message: { text: 'say edited' } } });
  phone.say(slack, { text: 'say robot', more: { bot_id: 'B1' } });
  guest.say(slack, 'say hello');
  guest.say(slack, await createCode(stage.bob));
  phone.say(slack, 'say after these');
  await shown(stage.phone, 'after these'); // messages of a chat are handled in order
  await settled();
  expect(stage.phone.shown().filter(({ text }) => /edited|robot/.test(text))).toEqual([]);
  expect(slack.in(guest.home)).toEqual([]);
});

test('a shared message makes the agent ask before it acts, with words of the person and without', async ({ home }) => {
  phone.say(slack, '/new');
  phone.say(slack, escape(order('typed')));
  await waitFor('the call', async () => posted.length === 1);
  for (const [text, name] of [
    ['say what it means', 'shared'],
    ['', 'shared alone'],
  ] as const) {
    phone.say(slack, '/new');
    phone.say(slack, { text, more: { attachments: [{ is_share: true, text: escape(order(name)) }] } });
    expect(await reasonToAsk(home, name)).toMatchObject(byOthers('shared'));
  }
  expect(posted).toHaveLength(1);
  phone.say(slack, '/new');
  await settled();
});

test('slash commands do the same as typed ones', async () => {
  const before = stage.phone.shown().length;
  slack.sockets.deliver('slash_commands', phone.command('/reborn', 'status'));
  slack.sockets.deliver('slash_commands', phone.command('/new'));
  await waitFor('both answers', async () => stage.phone.shown().length === before + 2);
  await shown(stage.phone, /^(Nothing is running|No conversation yet)/);
});

test('a revoked token is a problem that the operator sees, and nothing is lost', async () => {
  slack.setRevoked(true);
  expect(await json(as(undefined, `/api/channels/${stage.channelId}/test`, 'POST'))).toEqual({
    error: 'Slack: token_revoked',
  });
  slack.setRevoked(false);
});

test('by HTTP, only signed and fresh requests count; channels only when mentioned, and a button only for its person', async () => {
  expect((await as(undefined, `/api/channels/${stage.channelId}`, 'DELETE')).status).toBe(204);
  const added = await json<{ id: string; request_url: string }>(
    as(undefined, '/api/channels', 'POST', { ...asked, mode: 'webhook', groups: true }),
  );
  expect(added.request_url).toBe(`https://reborn.example/channels/slack/${added.id}`);
  const path = new URL(added.request_url).pathname;
  const deliver = (body: string, headers = sign(body), type = 'application/json') =>
    stage.service.request(path, {
      method: 'POST',
      body,
      headers: { authorization: '', 'content-type': type, ...headers },
    });
  const tell = (payload: object) => deliver(JSON.stringify(payload));

  const trial = await tell({ type: 'url_verification', challenge: 'a word', token: 'old' });
  expect(await trial.json()).toEqual({ challenge: 'a word' });

  const start = JSON.stringify(phone.event(slack, { text: await createCode(stage.ann) }));
  const forged = [
    {},
    sign(start, { secret: 'another secret' }),
    sign(`${start} `),
    sign(start, { at: Date.now() - 400_000 }),
    sign(start, { at: Date.now() + 400_000 }),
    { ...sign(start), 'x-slack-request-timestamp': String(Math.floor(Date.now() / 1000) - 10) },
  ];
  for (const headers of forged) expect((await deliver(start, headers)).status).toBe(404);
  const signed = sign(start);
  expect((await deliver(start, signed)).status).toBe(200);
  expect((await deliver(start, { ...signed, 'x-slack-retry-num': '1' })).status).toBe(200); // repeated, or replayed
  await waitFor(
    'the link',
    async () => (await json<{ links: object[] }>(as(stage.ann, '/api/channels'))).links.length === 1,
  );

  const [one, two] = ['one', 'two'].map((word) => phone.event(slack, { text: `say hooked ${word}` }));
  for (const event of [two, one, two, one]) expect((await tell(event ?? {})).status).toBe(200);
  await Promise.all([shown(stage.phone, 'hooked one'), shown(stage.phone, 'hooked two')]);
  await settled();
  expect(stage.phone.shown().filter(({ text }) => text.startsWith('hooked'))).toHaveLength(2);

  const bobs = phone.event(slack, { text: '' });
  expect((await tell({ ...bobs, team_id: 'T0OTHER' })).status).toBe(200);
  await tell(other.event(slack, { text: await createCode(stage.bob) }));
  await waitFor(
    'the link',
    async () => (await json<{ links: object[] }>(as(stage.bob, '/api/channels'))).links.length === 1,
  );

  const CHANNEL = 'C0GENERAL';
  const mention = `<@${APP.bot}>`;
  const root = phone.event(slack, { text: `${mention} use send {"to": "channel"}`, channel: CHANNEL });
  await tell(phone.event(slack, { text: 'say unaddressed', channel: CHANNEL }));
  await tell(stranger.event(slack, { text: `${mention} say stranger`, channel: CHANNEL }));
  await tell(root);
  const question = await shown(inChat(`${CHANNEL}/${root.event.ts}`), /Approve this call/);
  await settled();
  expect(slack.in(CHANNEL).filter(({ text }) => /unaddressed|say stranger/.test(text))).toEqual([]);

  const before = used.length;
  const press = (person: typeof phone) => {
    const payload = person.press(posts.get(question) as Posted, question.buttons[0]?.data ?? '');
    const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
    return deliver(body, sign(body), 'application/x-www-form-urlencoded');
  };
  for (const person of [other, stranger]) expect((await press(person)).status).toBe(200);
  await settled();
  expect(used).toHaveLength(before);
  expect(posts.get(question)?.buttons).toHaveLength(2);
  expect(slack.in(CHANNEL).filter(({ onlyFor }) => onlyFor === other.id)).toHaveLength(1);
  const pressed = await press(phone);
  expect([pressed.status, await pressed.text()]).toEqual([200, '']);
  await waitFor('the call', async () => used.length === before + 1);
});
