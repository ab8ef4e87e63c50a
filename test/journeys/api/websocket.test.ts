import { connect } from 'node:net';
import { expect } from 'vitest';
import { createMailTool } from '../../browser/mail-tool.ts';
import { addUser } from '../../support/accounts.ts';
import { openBrowser } from '../../support/browser.ts';
import { journey } from '../../support/journey.ts';
import { type Service, TOKEN, WEBHOOK_SECRET } from '../../support/service.ts';
import { eventsOf, openSocket, saidIn, type TestSocket } from '../../support/socket.ts';
import { waitFor } from '../../support/wait-for.ts';

const { tool: mailTool, sent } = createMailTool();

const test = journey().override({ settings: { HTTP_WEBHOOK_SECRET: WEBHOOK_SECRET }, parts: { tools: [mailTool] } });

async function using<T>(service: Service, act: (open: () => Promise<TestSocket>) => Promise<T>): Promise<T> {
  const sockets: TestSocket[] = [];
  try {
    return await act(async () => {
      const socket = await openSocket(service.url);
      sockets.push(socket);
      return socket;
    });
  } finally {
    for (const socket of sockets) socket.close();
  }
}

const chat = async (service: Service, body: object) => {
  const response = await service.request('/api/chat/send', { method: 'POST', body: JSON.stringify(body) });
  if (response.status !== 202) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as { thread_id: string; turn_id: string };
};

test('a message sent over the socket is accepted, and all events of its turn arrive', ({ service }) =>
  using(service, async (open) => {
    const socket = await open();
    socket.send({ type: 'send', id: 'mine', message: 'say hello you' });
    const accepted = await socket.first('accepted');
    expect(accepted).toMatchObject({ id: 'mine' });
    await socket.ended(accepted.turn_id);

    const events = eventsOf(socket.seen, accepted.turn_id);
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index - 1));
    expect(events[0]?.event).toMatchObject({
      type: 'turn-started',
      items: [{ role: 'user', content: [{ type: 'text', text: 'say hello you' }] }],
    });
    expect(saidIn(socket.seen)).toBe('hello you');
    expect(events.at(-1)?.event).toMatchObject({ type: 'turn-ended', status: 'completed', failure: null });
    await socket.until('the thread to become idle', () =>
      socket.seen.some((message) => message.type === 'thread' && message.thread?.status === 'idle'),
    );
  }));

test('a subscriber sees turns that start elsewhere: in another tab, over HTTP, one after another', ({ service }) =>
  using(service, async (open) => {
    const { thread_id, turn_id: first } = await chat(service, { message: 'say one' });
    const [one, other] = [await open(), await open()];
    for (const socket of [one, other]) socket.send({ type: 'subscribe', thread_id, after: { turn_id: first } });
    await Promise.all([one.ended(first), other.ended(first)]);

    const { turn_id: second } = await chat(service, { message: 'say two', thread_id });
    one.send({ type: 'send', message: 'say three', thread_id });
    const third = (await one.first('accepted')).turn_id;
    await Promise.all([one.ended(third), other.ended(third)]);

    const told = (socket: TestSocket) => eventsOf(socket.seen).map(({ turn_id, sequence }) => [turn_id, sequence]);
    expect(told(one)).toEqual(told(other));
    expect([...new Set(eventsOf(other.seen).map(({ turn_id }) => turn_id))]).toEqual([first, second, third]);
    expect(saidIn(other.seen)).toBe('onetwothree');
  }));

test('a reconnect with `after` neither loses nor repeats an event, wherever the connection broke', ({ service }) =>
  using(service, async (open) => {
    const { thread_id, turn_id } = await chat(service, { message: 'count 40 every 5' });
    await chat(service, { message: 'say after that', thread_id });
    const all: ReturnType<typeof eventsOf> = [];
    let after: object = { turn_id };
    for (const take of [1, 5, 17, 3, 60]) {
      const socket = await open();
      socket.send({ type: 'subscribe', thread_id, after });
      const events = await socket.until('some events', () => {
        const seen = eventsOf(socket.seen);
        const isOver = seen.filter(({ event }) => event.type === 'turn-ended').length > (isEnded(all) ? 0 : 1);
        return seen.length >= take || isOver ? seen.slice(0, take) : undefined;
      });
      socket.close();
      all.push(...events);
      const last = all.at(-1);
      after = { turn_id: last?.turn_id, sequence: last?.sequence };
    }
    const keys = all.map(({ turn_id: turn, sequence }) => `${turn} ${sequence}`);
    expect(keys).toEqual([...new Set(keys)]);
    expect(saidIn(all)).toBe(`${Array.from({ length: 40 }, (_, index) => `${index} `).join('')}after that`);
    expect(all.at(-1)?.event.type).toBe('turn-ended');
  }));

const isEnded = (events: ReturnType<typeof eventsOf>) => events.some(({ event }) => event.type === 'turn-ended');

test('a subscriber that has seen every event gets only new ones', ({ service }) =>
  using(service, async (open) => {
    const { thread_id, turn_id } = await chat(service, { message: 'say all' });
    const first = await open();
    first.send({ type: 'subscribe', thread_id, after: { turn_id } });
    const { sequence } = await first.ended(turn_id);

    const again = await open();
    again.send({ type: 'subscribe', thread_id, after: { turn_id, sequence } });
    const { turn_id: next } = await chat(service, { message: 'say more', thread_id });
    await again.ended(next);
    expect(eventsOf(again.seen, turn_id)).toEqual([]);
    expect(saidIn(again.seen)).toBe('more');
  }));

test('a subscription without `after` receives the running turn from its start', ({ service }) =>
  using(service, async (open) => {
    const { thread_id } = await chat(service, { message: 'say old' });
    const late = await open();
    await waitFor('the first turn to end', async () => {
      const thread = (await (await service.request(`/api/threads/${thread_id}`)).json()) as { status: string };
      return thread.status === 'idle';
    });
    const { turn_id } = await chat(service, { message: 'count 30 every 20', thread_id });
    late.send({ type: 'subscribe', thread_id });
    await late.ended(turn_id);
    expect(saidIn(late.seen)).toBe(Array.from({ length: 30 }, (_, index) => `${index} `).join(''));
  }));

test('cancel stops a turn, and ping is answered', ({ service }) =>
  using(service, async (open) => {
    const socket = await open();
    socket.send({ type: 'send', message: 'count 1000 every 20' });
    const { turn_id } = await socket.first('accepted');
    socket.send({ type: 'cancel', turn_id });
    expect((await socket.ended(turn_id)).event).toMatchObject({ status: 'cancelled' });
    socket.send({ type: 'ping', id: '7' });
    expect(await socket.first('pong')).toEqual({ type: 'pong', id: '7' });
  }));

test('a gate is announced when it opens and to later subscribers, and is answered over the socket', ({ service }) =>
  using(service, async (open) => {
    const [socket, late] = [await open(), await open()];
    socket.send({ type: 'send', message: 'use send_mail {"to": "ann@example.com"}' });
    const { gate } = await socket.first('gate');
    if (!gate) throw new Error('No gate is open.');
    const { thread_id: threadId, turn_id: turnId } = await socket.first('accepted');
    expect(gate).toMatchObject({ thread_id: threadId, turn_id: turnId, kind: 'approval', call: { name: 'send_mail' } });
    expect(JSON.parse(gate.call.arguments)).toEqual({ to: 'ann@example.com' });
    late.send({ type: 'subscribe', thread_id: threadId });
    expect((await late.first('gate')).gate).toEqual(gate);
    expect(sent).toHaveLength(0);

    const from = late.seen.length;
    late.send({ type: 'gate', id: 'yes', gate_id: gate.id, answer: 'approve' });
    const accepted = await late.first('accepted', from);
    expect(accepted).toMatchObject({ id: 'yes', thread_id: threadId });
    for (const each of [socket, late]) {
      await each.ended(accepted.turn_id);
      expect(each.seen).toContainEqual({ type: 'gate', thread_id: threadId, gate: null });
    }
    expect(sent).toHaveLength(1);
    late.send({ type: 'gate', id: 'again', gate_id: gate.id, answer: 'approve' });
    expect(await late.first('error')).toMatchObject({ id: 'again' });
    expect(sent).toHaveLength(1);
  }));

test('cancel stops a turn that waits at a gate: its call never runs, and the message behind it is read', ({
  service,
}) =>
  using(service, async (open) => {
    const socket = await open();
    const before = sent.length;
    socket.send({ type: 'send', message: 'use send_mail {"to": "cara@example.com"}' });
    const { gate } = await socket.first('gate');
    const { thread_id } = await socket.first('accepted');
    const from = socket.seen.length;
    socket.send({ type: 'send', message: 'say behind', thread_id });
    const behind = await socket.first('accepted', from);
    socket.send({ type: 'cancel', turn_id: gate?.turn_id ?? '' });
    expect((await socket.ended(behind.turn_id)).event).toMatchObject({ status: 'completed' });
    expect(socket.seen).toContainEqual({ type: 'gate', thread_id, gate: null });
    const ends = socket.seen.flatMap((got) =>
      got.type === 'turn-event' && got.event.type === 'turn-ended' ? [got.event.status] : [],
    );
    expect(ends).toEqual(['waiting', 'cancelled', 'completed']);
    expect(sent).toHaveLength(before);
  }));

test('a follower sees the turn that continues after a gate before the messages that waited behind it', ({ service }) =>
  using(service, async (open) => {
    const [socket, late] = [await open(), await open()];
    socket.send({ type: 'send', message: 'use send_mail {"to": "ben@example.com"}' });
    const { gate } = await socket.first('gate');
    const { thread_id } = await socket.first('accepted');
    const from = socket.seen.length;
    socket.send({ type: 'send', id: 'behind', message: 'say later', thread_id });
    const behind = await socket.first('accepted', from);
    late.send({ type: 'subscribe', thread_id });
    await late.first('gate');
    socket.send({ type: 'send', id: 'second', message: 'say never', thread_id });
    const cancelled = await socket.first('accepted', socket.seen.indexOf(behind) + 1);
    socket.send({ type: 'cancel', turn_id: cancelled.turn_id });
    for (const each of [socket, late]) await each.ended(cancelled.turn_id);

    const count = socket.seen.length;
    socket.send({ type: 'gate', id: 'no', gate_id: gate?.id ?? '', answer: 'deny' });
    const answered = await socket.first('accepted', count);
    for (const each of [socket, late]) {
      await each.ended(behind.turn_id);
      const started = each.seen.filter((got) => got.type === 'turn-event' && got.event.type === 'turn-started');
      const turns = started.map((got) => (got.type === 'turn-event' ? got.turn_id : ''));
      expect(new Set(turns).size).toBe(turns.length);
      const shown = turns.filter((id) => id !== cancelled.turn_id);
      expect(shown.slice(-2)).toEqual([answered.turn_id, behind.turn_id]);
    }
  }));

test('only the operator receives the progress of a webhook caller’s job', ({ service }) =>
  using(service, async (open) => {
    const operator = await open();
    const ann = await openSocket(service.url, (await addUser(service, 'Ann')).headers);
    try {
      const id = await service.webhook.submit({ message: 'say filed', conversation_id: 'invoice-7' });
      const completed = await operator.until('the job to be reported as completed', () =>
        operator.seen.find((message) => message.type === 'job' && message.job.status === 'completed'),
      );
      expect(completed).toMatchObject({ job: { id, user_id: 'webhook:ann', conversation_id: 'invoice-7' } });
      ann.send({ type: 'ping' });
      await ann.first('pong');
      expect(ann.seen.map(({ type }) => type)).toEqual(['pong']);
    } finally {
      ann.close();
    }
  }));

test('errors use the common error envelope, and the socket stays open', ({ service }) =>
  using(service, async (open) => {
    const socket = await open();
    const refusals: [object | string, object][] = [
      ['{', { message: 'A message must be JSON, as a text.' }],
      [{ type: 'dance' }, { message: 'type must be subscribe, unsubscribe, send, cancel, gate or ping.' }],
      [
        { type: 'send', message: ' ' },
        { message: 'message must not be blank.', param: 'message' },
      ],
      [{ type: 'subscribe', thread_id: NOBODYS }, { type: 'not_found_error' }],
      [{ type: 'cancel', turn_id: NOBODYS }, { type: 'not_found_error' }],
      [{ type: 'gate', gate_id: NOBODYS, answer: 'approve' }, { type: 'not_found_error' }],
    ];
    for (const [message, expected] of refusals) {
      const from = socket.seen.length;
      socket.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
      expect((await socket.first('error', from)).error).toMatchObject(expected);
    }
    socket.send({ type: 'ping' });
    await socket.first('pong');
  }));

const NOBODYS = '00000000-0000-7000-8000-000000000000';

test('a user cannot see, follow or cancel the turns of another user', ({ service }) =>
  using(service, async (open) => {
    const ann = await addUser(service, 'Ann');
    const hers = await openSocket(service.url, ann.headers);
    const operators = await open();
    hers.send({ type: 'send', message: 'count 50 every 20' });
    const { thread_id, turn_id } = await hers.first('accepted');

    for (const message of [
      { type: 'subscribe', thread_id },
      { type: 'cancel', turn_id },
      { type: 'send', thread_id, message: 'say x' },
    ]) {
      const from = operators.seen.length;
      operators.send(message);
      expect((await operators.first('error', from)).error.type).toBe('not_found_error');
    }
    operators.send({ type: 'send', message: 'say mine' });
    const mine = (await operators.first('accepted')).thread_id;
    operators.send({ type: 'subscribe', thread_id: mine, after: { turn_id } });
    expect(await operators.first('resubscribe')).toMatchObject({ thread_id: mine });
    expect((await hers.ended(turn_id)).event).toMatchObject({ status: 'completed' });
    expect(JSON.stringify(operators.seen)).not.toContain(thread_id);
    hers.close();
  }));

test('a socket without a valid token, or from a page of another site, is refused', async ({ service }) => {
  const refused = (headers: Record<string, string>) =>
    openSocket(service.url, headers).then(
      () => 'opened',
      (error: unknown) => String(error),
    );
  expect(await refused({ authorization: 'Bearer wrong' })).toContain('Unexpected server response: 401');

  const browser = openBrowser();
  const signedIn = await browser.signIn(service.url, { token: TOKEN });
  const cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const protocols = `reborn, reborn.key.${browser.keyOf(service.url)}`;
  const open = (origin: string) => statusOfUpgrade(service, { cookie, origin, 'sec-websocket-protocol': protocols });
  expect(await open('https://evil.example')).toBe(403);
  expect(await open(service.url)).toBe(101);
  expect(await statusOfUpgrade(service, { cookie, origin: service.url })).toBe(401); // the key is missing
});

/** By hand, because the test client always sends a token. */
function statusOfUpgrade(service: Service, headers: Record<string, string>): Promise<number> {
  const { hostname, port, host } = new URL(service.url);
  const lines = Object.entries({
    host,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    ...headers,
  }).map(([name, value]) => `${name}: ${value}`);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(`GET /api/ws HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`),
    );
    socket.once('data', (data) => {
      resolve(Number(/^HTTP\/1.1 (\d+)/.exec(data.toString())?.[1]));
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

test('a socket ends when its token is revoked', async ({ service }) => {
  const ann = await addUser(service, 'Ann');
  const hers = await openSocket(service.url, ann.headers);
  await service.request(`/api/tokens/${ann.tokenId}`, { method: 'DELETE', headers: {} });
  expect(await hers.closed()).toMatchObject({ code: 4401 });
});

test('messages over the socket count against the rate limit of their user', async ({ startAnother }) => {
  const limited = await startAnother({ CHAT_RATE_PER_MINUTE: '3' });
  const socket = await openSocket(limited.url);
  for (const word of ['a', 'b', 'c', 'd']) socket.send({ type: 'send', message: `say ${word}` });
  const { error } = await socket.first('error');
  expect(error).toMatchObject({ code: 'rate_limited' });
  expect(error.retry_after).toBeGreaterThan(0);
  expect(socket.seen.filter(({ type }) => type === 'accepted')).toHaveLength(3);
  await limited.close();
  expect(await socket.closed()).toMatchObject({ code: 1012 });
});

test('messages of any kind are read at a limited rate, and none is lost', async ({ service }) => {
  const dan = await addUser(service, 'Dan');
  const socket = await openSocket(service.url, dan.headers);
  const startedAt = performance.now();
  for (let i = 0; i < 320; i++) socket.send({ type: 'ping' }); // 300 at once, then 10 a second
  const pongs = () => socket.seen.filter(({ type }) => type === 'pong').length;
  await waitFor('all pongs', async () => pongs() === 320);
  expect(performance.now() - startedAt).toBeGreaterThan(1500);

  const other = await openSocket(service.url);
  other.send({ type: 'ping' });
  await other.first('pong');
});

test('an upgrade request for another protocol is answered as a normal request', async ({ service }) => {
  const { hostname, port } = new URL(service.url);
  const answer = await new Promise<string>((resolve) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(
        `GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAM\r\n\r\n`,
      ),
    );
    socket.once('data', (data) => {
      resolve(data.toString());
      socket.destroy();
    });
  });
  expect(answer).toMatch(/^HTTP\/1.1 200/);
});
