import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect as dial } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Received, Transport } from '#agent/chats/chat-port.ts';
import { createPerson } from '../../../test/support/slack/person.ts';
import { APP, startWorkspace, type Workspace } from '../../../test/support/slack/workspace.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { createSlackPort } from './slack-port.ts';

let slack: Workspace;
const ann = createPerson('U501', 'Ann');
const stop = new AbortController();
const pace = { pingEveryMs: 500, leastLifeMs: 20, waitMs: 300, idleMs: 60_000 };
let committed: string | null = null;

beforeAll(async () => {
  slack = await startWorkspace({ retryAfterMs: 200 });
});
afterAll(async () => {
  stop.abort();
  await slack.close();
});

const transport: Transport = async ({ method, url, headers, body }) => {
  const answer = await fetch(`http://127.0.0.1:${slack.port}${new URL(url).pathname}`, { method, headers, body });
  return { status: answer.status, headers: {}, body: new Uint8Array(await answer.arrayBuffer()) };
};
const connect = async () => {
  const socket = dial(slack.port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
};
const port = createSlackPort({ transport, connect, pace });

/** One call of the inbox. `commit`: whether the updates are stored before the next one. */
async function receive({ commit = true } = {}): Promise<Received> {
  const connection = port.connect(JSON.stringify({ token: APP.token, appToken: APP.appToken }));
  const received = await connection.receive(committed, stop.signal);
  if (commit) committed = received.cursor;
  return received;
}

/** Receives until an update with these words arrives. */
const receiveWords = (words: string) =>
  waitFor(words, async () => {
    const { updates } = await receive().catch((error: unknown) => {
      if (error instanceof Error && error.name === 'ChatFailed') return { updates: [] };
      throw error;
    });
    return updates.some(({ body }) => JSON.stringify(body).includes(words));
  });

test('an envelope is acknowledged after its commit, and given again without it', async () => {
  const id = randomUUID();
  await receive();
  ann.say(slack, id);
  await waitFor('the update', async () => (await receive({ commit: false })).updates.length > 0);
  expect(slack.sockets.waiting.size).toBe(1);
  const again = await receive();
  expect(JSON.stringify(again.updates)).toContain(id);
  expect(slack.sockets.waiting.size).toBe(1);
  await receive();
  await waitFor('the acknowledgement', async () => slack.sockets.waiting.size === 0);
});

test('events of no interest are acknowledged and not given', async () => {
  slack.sockets.deliver('events_api', { type: 'event_callback', team_id: APP.team, event: { type: 'team_join' } });
  await waitFor('the acknowledgement', async () => {
    expect((await receive()).updates).toEqual([]);
    return slack.sockets.waiting.size === 0;
  });
});

test.each([
  ['renewed with notice', () => slack.sockets.refresh('warning')],
  ['renewed', () => slack.sockets.refresh('refresh_requested', 0)],
  ['half-open', () => slack.sockets.freeze()],
  ['cut', () => slack.sockets.cut()],
  ['refused an address', () => (slack.fail(/apps\.connections\.open/, 'cut', 2), slack.sockets.cut())],
])('after a socket was %s, the events arrive by another one', async (words, disturb) => {
  const before = slack.sockets.opened();
  disturb();
  ann.say(slack, words);
  await receiveWords(words);
  await waitFor('the acknowledgement', async () => {
    await receive().catch(() => undefined);
    return slack.sockets.waiting.size === 0;
  });
  expect(slack.sockets.opened()).toBeGreaterThan(before);
});

test('a socket that is renewed with notice is replaced before it ends', async () => {
  await waitFor('one socket', async () => {
    await receive();
    return slack.sockets.open.size === 1;
  });
  slack.sockets.refresh('warning', 2000);
  const open = await waitFor('two sockets', async () => {
    await receive();
    return slack.sockets.open.size > 1 && slack.sockets.open.size;
  });
  expect(open).toBe(2);
});

test.each([
  ['link_disabled', 'Socket Mode is turned off', () => slack.sockets.refresh('link_disabled', 0)],
  ['a revoked token', 'token_revoked', () => (slack.setRevoked(true), slack.sockets.cut())],
])('%s is reported', async (_name, words, disturb) => {
  await receive().catch(() => undefined);
  disturb();
  const problem = await waitFor('the problem', () =>
    receive().then(
      () => undefined,
      (error: unknown) => String(error),
    ),
  );
  expect(problem).toContain(words);
  slack.setRevoked(false);
});

test('the socket closes when the inbox stops', async () => {
  await waitFor('a socket', async () => {
    await receive().catch(() => undefined);
    return slack.sockets.open.size > 0;
  });
  const waiting = receive();
  stop.abort();
  await waiting.catch(() => undefined);
  await waitFor('the end', async () => slack.sockets.open.size === 0);
  expect(slack.sockets.waiting.size).toBe(0);
});
