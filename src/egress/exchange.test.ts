import { connect, createServer, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { waitFor } from '../../test/support/wait-for.ts';
import { EgressFailed } from './egress-failure.ts';
import { exchange } from './exchange.ts';
import { get, listen, networkTo, openEgress, PUBLIC, startStandIn } from './stand-in.test-support.ts';

const HELLO = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: 1\r\nX-A: 2\r\n\r\nhello';

describe('an answer', () => {
  test.each([301, 302, 307, 308])(
    'that redirects to a private address is returned and not followed: %i',
    async (status) => {
      const { port, requests } = await startStandIn((socket) =>
        socket.write(`HTTP/1.1 ${status} Go\r\nLocation: https://169.254.169.254/secret\r\nContent-Length: 0\r\n\r\n`),
      );
      const resolve = vi.fn(async () => [PUBLIC]);
      const answer = await openEgress(networkTo(port, { resolve })).send(get('https://example.com/'));

      expect(answer).toMatchObject({ status, headers: { location: 'https://169.254.169.254/secret' } });
      expect(requests).toHaveLength(1);
      expect(resolve).toHaveBeenCalledTimes(1);
    },
  );

  test.each([
    ['with its length', (body: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`],
    ['in chunks', (body: string) => `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${toChunks(body)}`],
    ['until the end', (body: string) => `HTTP/1.1 200 OK\r\n\r\n${body}`],
  ])('is read whole up to the limit, and one byte more is too much: %s', async (_name, write) => {
    let length = 1_000;
    const { port } = await startStandIn((socket) => socket.end(write('a'.repeat(length))));
    const egress = openEgress(networkTo(port));
    const request = get('https://example.com/', { maxResponseBytes: 1_000 });

    expect((await egress.send(request)).body).toHaveLength(1_000);
    length += 1;
    await expect(egress.send(request)).rejects.toThrow(
      new EgressFailed('The answer of example.com is larger than 1000 bytes.'),
    );
  });

  test('that never ends is cut off at the limit', async () => {
    const { port, open } = await startStandIn((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      const pour = () => {
        while (socket.writable && socket.write(Buffer.alloc(65_536)));
      };
      socket.on('drain', pour);
      pour();
    });
    const sent = openEgress(networkTo(port)).send(get('https://example.com/', { maxResponseBytes: 1_000_000 }));
    await expect(sent).rejects.toThrow('larger than 1000000 bytes');
    await waitFor('the connection to close', async () => open.size === 0);
  });

  test('that declares too large a body is cut off before the body arrives', async () => {
    const { port } = await startStandIn((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9e15\r\n\r\n'));
    await expect(openEgress(networkTo(port)).send(get('https://example.com/'))).rejects.toThrow(EgressFailed);

    const huge = await startStandIn((socket) =>
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9007199254740991\r\n\r\n'),
    );
    await expect(openEgress(networkTo(huge.port)).send(get('https://example.com/'))).rejects.toThrow('larger than');
  });

  test('to HEAD may declare the length of a GET', async () => {
    const { port } = await startStandIn((socket) =>
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 900000000\r\n\r\n'),
    );
    const answer = await openEgress(networkTo(port)).send(get('https://example.com/', { method: 'HEAD' }));
    expect(answer).toMatchObject({ status: 200, headers: { 'content-length': '900000000' } });
    expect(answer.body).toHaveLength(0);
  });

  test('is never decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`;
    const { port, requests } = await startStandIn((socket) => socket.write(Buffer.concat([Buffer.from(head), bomb])));
    const answer = await openEgress(networkTo(port)).send(
      get('https://example.com/', { headers: { 'Accept-Encoding': 'gzip' } }),
    );

    expect(Buffer.compare(answer.body, bomb)).toBe(0);
    expect(requests[0]?.match(/accept-encoding: .*/gi)).toEqual(['Accept-Encoding: gzip']);
  });

  test('of a million one-byte chunks costs little more than its bytes', async () => {
    const { port } = await startStandIn((socket) =>
      socket.end(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\na\r\n'.repeat(1_000_000)}0\r\n\r\n`),
    );
    const request = get('https://example.com/', { maxResponseBytes: 1_000_000, timeoutMs: 15_000 });
    expect((await openEgress(networkTo(port)).send(request)).body).toHaveLength(1_000_000);
  });

  test('may have headers named like object members', async () => {
    const { port } = await startStandIn((socket) =>
      socket.end('HTTP/1.1 200 OK\r\n__proto__: a\r\nconstructor: b\r\nContent-Length: 0\r\n\r\n'),
    );
    const { headers } = await openEgress(networkTo(port)).send(get('https://example.com/'));
    expect(Object.entries(headers)).toEqual(
      expect.arrayContaining([
        ['__proto__', 'a'],
        ['constructor', 'b'],
      ]),
    );
    expect(Object.getPrototypeOf(headers)).toBe(Object.prototype);
  });

  test('may be preceded by early hints', async () => {
    const { port } = await startStandIn((socket) =>
      socket.write(`HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nContent-Length: 999999999\r\n\r\n${HELLO}`),
    );
    expect(await openEgress(networkTo(port)).send(get('https://example.com/'))).toMatchObject({ status: 200 });
  });
});

test('a connection is closed even if the deadline passed before it was used', async () => {
  const { port, open } = await startStandIn(() => {});
  const socket = connect(port, '127.0.0.1');
  await waitFor('the connection', async () => open.size === 1);
  const answer = exchange(socket, new URL('https://example.com/'), get('https://example.com/'), AbortSignal.abort());
  await expect(answer).rejects.toThrow('aborted');
  await waitFor('the connection to close', async () => open.size === 0);
});

describe('a peer that misbehaves is a failure, and nothing is left open:', () => {
  test.each([
    ['it has 100,000 headers', `HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(100_000)}\r\n`],
    ['its header is endless', `HTTP/1.1 200 OK\r\na: ${'b'.repeat(1_000_000)}`],
    ['its trailers are endless', `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n${'a: b\r\n'.repeat(1e5)}`],
    ['its status line is invalid', 'HTTP/1.1 two hundred\r\n\r\n'],
    ['its status is 099', 'HTTP/1.1 099 No\r\nContent-Length: 0\r\n\r\n'],
    ['it speaks another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['it speaks HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['it says nothing', ''],
    ['it stops in its headers', 'HTTP/1.1 200 OK\r\nContent-Le'],
    ['its body is shorter than declared', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello'],
    ['its chunks stop', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel'],
    ['its chunk has no length', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nhello\r\n'],
    ['it declares two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!'],
    ['it declares a length below zero', 'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n'],
    ['it declares a length and chunks', HELLO.replace('X-A: 1', 'Transfer-Encoding: chunked')],
    ['it wants to switch protocols', 'HTTP/1.1 101 Switch\r\nUpgrade: a\r\nConnection: upgrade\r\n\r\n'],
    ['it asks to continue', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ])('%s', async (_name, text) => {
    const { port, open } = await startStandIn((socket) => socket.end(text));
    const sent = openEgress(networkTo(port)).send(get('https://example.com/'));
    await expect(sent).rejects.toThrow(EgressFailed);
    await expect(sent).rejects.toThrow(/^The request to example.com failed: /);
    await waitFor('the connection to close', async () => open.size === 0);
  });

  test.each([
    ['before its answer', ''],
    ['in its headers', 'HTTP/1.1 200 OK\r\n'],
    ['in a body of known length', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello'],
  ])('it cuts the connection %s', async (_name, text) => {
    const { port } = await startStandIn((socket) => {
      socket.write(text);
      setImmediate(() => socket.resetAndDestroy());
    });
    const sent = openEgress(networkTo(port)).send(get('https://example.com/'));
    await expect(sent).rejects.toThrow(EgressFailed);
  });

  test('it cuts the connection in a body without a declared length, after a part was read', async () => {
    const { port, open } = await startStandIn((socket) => socket.write('HTTP/1.1 200 OK\r\n\r\nhello'));
    const socket = connect(port, '127.0.0.1');
    const answer = exchange(
      socket,
      new URL('https://example.com/'),
      get('https://example.com/'),
      new AbortController().signal,
    );
    const outcome = answer.catch((error: unknown) => error);
    await waitFor('a part of the body', async () => socket.bytesRead === 24);
    for (const peer of open) peer.resetAndDestroy();
    expect(await outcome).toHaveProperty('code', 'ECONNRESET');
  });

  test('its connection is closed before the request', async () => {
    const socket = new Socket().destroy();
    const answer = exchange(
      socket,
      new URL('https://example.com/'),
      get('https://example.com/'),
      new AbortController().signal,
    );
    await expect(answer).rejects.toHaveProperty('code', 'ECONNRESET');
  });

  test('it closes right after connecting', async () => {
    const server = createServer((socket) => socket.destroy());
    onTestFinished(() => void server.close());
    const sent = openEgress(networkTo(await listen(server))).send(get('https://example.com/'));
    await expect(sent).rejects.toThrow(EgressFailed);
  });

  test('it answers with noise', async () => {
    const parts = [
      'HTTP/1.1 200 OK',
      'HTTP/1.1 103 A',
      '\r\n',
      '\r\n\r\n',
      'Content-Length: 3',
      'Connection: upgrade',
      '\n',
    ];
    const more = [
      'Transfer-Encoding: chunked',
      '3\r\nabc\r\n',
      '0\r\n\r\n',
      'abc',
      'Upgrade: b',
      'HTTP/1.0 204 No',
      '\0',
    ];
    const noise = fc.array(fc.oneof(fc.constantFrom(...parts, ...more), fc.string()), { maxLength: 12 });
    let text = '';
    const { port } = await startStandIn((socket) => socket.end(text));
    const egress = openEgress(networkTo(port));
    await fc.assert(
      fc.asyncProperty(noise, async (pieces) => {
        text = pieces.join('');
        return egress.send(get('https://example.com/')).then(
          ({ status }) => status >= 200,
          (error: unknown) => error instanceof EgressFailed,
        );
      }),
      { numRuns: 300 },
    );
  });
});

function toChunks(body: string): string {
  return `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
}
