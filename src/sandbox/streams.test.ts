import type { Duplex } from 'node:stream';
import { expect, test } from 'vitest';
import { MOST_STREAMS, STREAM_WINDOW } from './runner-messages.ts';
import { createStreams } from './streams.ts';

type Said = { readonly stream: number; readonly act: string; readonly room?: number; readonly body: number };

/** Streams whose other side is the test. */
function openStreams() {
  const said: Said[] = [];
  const accepted: Duplex[] = [];
  const streams = createStreams(
    (header, body) => {
      said.push({ ...(header as Omit<Said, 'body'>), body: body?.length ?? 0 });
      return true;
    },
    (connection) => accepted.push(connection.on('error', () => {})),
  );
  const data = (stream: number, body: Buffer) => streams.take({ type: 'stream', stream, act: 'data', body });
  const room = (stream: number, bytes: number) => streams.take({ type: 'stream', stream, act: 'room', room: bytes });
  const close = (stream: number) => streams.take({ type: 'stream', stream, act: 'close' });
  const bytesSaid = () => said.filter(({ act }) => act === 'data').reduce((sum, { body }) => sum + body, 0);
  return { streams, said, accepted, data, room, close, bytesSaid };
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

test('what is not read is not asked for, and more than that is refused', async () => {
  const { data, said, accepted } = openStreams();
  data(1, Buffer.alloc(STREAM_WINDOW));
  await nextTurn();
  expect(said).toEqual([]);
  expect(() => data(1, Buffer.alloc(1))).toThrow('A stream has sent more than it may.');

  accepted[0]?.read();
  await nextTurn();
  expect(said.reduce((sum, { room = 0 }) => sum + room, 0)).toBe(STREAM_WINDOW);
});

test('a slow guest gets no more than the window, and the rest when it has room', async () => {
  const { data, room, accepted, bytesSaid, said } = openStreams();
  data(1, Buffer.from('hello'));
  const isWritten = new Promise((resolve) => accepted[0]?.write(Buffer.alloc(STREAM_WINDOW + 1000), resolve));
  expect(bytesSaid()).toBe(STREAM_WINDOW);
  room(1, 600);
  expect(bytesSaid()).toBe(STREAM_WINDOW + 600);
  room(1, 600);
  await isWritten;
  expect(bytesSaid()).toBe(STREAM_WINDOW + 1000);
  accepted[0]?.end();
  await nextTurn();
  expect(said.at(-1)).toMatchObject({ stream: 1, act: 'close' });
  data(1, Buffer.from('late')); // crossed with the close
});

test('a guest that has gone blocks no one who writes to it', async () => {
  const { data, close, accepted } = openStreams();
  data(1, Buffer.from('hello'));
  const isWritten = new Promise((resolve) => accepted[0]?.write(Buffer.alloc(2 * STREAM_WINDOW), resolve));
  close(1);
  await isWritten;
  await new Promise<void>((resolve) => accepted[0]?.end(resolve));
  expect(accepted[0]?.writableFinished).toBe(true);
});

test('streams are opened in their order, and not too many at once', () => {
  const { data, close } = openStreams();
  expect(() => data(2, Buffer.from('x'))).toThrow('A stream was opened');
  for (let id = 1; id <= MOST_STREAMS; id++) data(id, Buffer.from('x'));
  expect(() => data(MOST_STREAMS + 1, Buffer.from('x'))).toThrow('A stream was opened');
  close(1);
  data(MOST_STREAMS + 1, Buffer.from('x'));
  expect(() => data(MOST_STREAMS + 3, Buffer.from('x'))).toThrow('A stream was opened');
});

test('the end of the call ends them', async () => {
  const { streams, data, accepted, said } = openStreams();
  data(1, Buffer.from('x'));
  streams.end();
  await nextTurn();
  expect(accepted[0]?.destroyed).toBe(true);
  expect(said).toEqual([{ type: 'stream', stream: 1, act: 'close', body: 0 }]);
});
