import { expect, test } from 'vitest';
import { newId, type ThreadId } from '#domain/ids.ts';
import type { Principal, UserId } from '#domain/principal.ts';
import type { SocketConnection } from '#http/socket/socket-connection.ts';
import { startNotifications } from './change-notifications.ts';
import type { ServerMessage } from './socket-messages.ts';

type Services = Parameters<typeof startNotifications>[2];

const ann = { userId: 'ann' as UserId } as Principal;

/** Notifications whose threads are read with `find`, and what became of their connection. */
function follow(find: Services['threads']['find']) {
  const told: ServerMessage[] = [];
  const codes: number[] = [];
  const errors: unknown[] = [];
  let change: (threadId: ThreadId) => void = () => {};
  const connection = {
    closed: new AbortController().signal,
    send: async (message) => void told.push(message),
    close: (code) => void codes.push(code),
  } satisfies Partial<SocketConnection<ServerMessage>>;
  const threads = {
    find,
    follow(_principal, onChange) {
      change = (threadId) => onChange({ threadId, userId: ann.userId });
      return () => (change = () => {});
    },
  } satisfies Partial<Services['threads']>;
  const services = { threads, jobs: {}, onError: (error: unknown) => errors.push(error) } as unknown as Services;
  startNotifications(ann, connection as unknown as SocketConnection<ServerMessage>, services);
  return { told, codes, errors, change: (threadId: ThreadId) => change(threadId) };
}

test('a thread that is gone is told as such', async () => {
  const { told, codes, change } = follow(async () => undefined);
  const id = newId<ThreadId>();
  change(id);
  await expect.poll(() => told).toEqual([{ type: 'thread', thread_id: id, thread: null }]);
  expect(codes).toEqual([]);
});

test('a client connects again after a change that could not be read, because it would not hear of it otherwise', async () => {
  const away = new Error('connection terminated');
  const { told, codes, errors, change } = follow(() => Promise.reject(away));
  change(newId<ThreadId>());
  await expect.poll(() => codes).toEqual([1012]);
  expect({ told, errors }).toEqual({ told: [], errors: [away] });
});

test('a client that reads too slowly connects again when 1,000 changes wait, and none is dropped silently', async () => {
  const { codes, change } = follow(() => new Promise(() => {})); // the first change is never read to its end
  const one = () => change(newId<ThreadId>());
  for (let count = 0; count <= 1000; count++) one();
  expect(codes).toEqual([]);
  for (let count = 0; count < 10; count++) one();
  expect(codes).toEqual([1012]);
});
