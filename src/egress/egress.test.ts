import { createServer } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { waitFor } from '../../test/support/wait-for.ts';
import { EgressFailed, EgressRefused } from './egress-failure.ts';
import { get, listen, networkTo, openEgress, PUBLIC, startStandIn } from './stand-in.test-support.ts';

const HELLO = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: 1\r\nX-A: 2\r\n\r\nhello';

describe('a request', () => {
  test('reaches the host unchanged, and its answer comes back', async () => {
    const { port, requests } = await startStandIn((socket) => socket.write(HELLO));
    const request = get('https://api.example.com/a%20b?c=d#e', {
      method: 'POST',
      body: 'grüße',
      headers: { 'X-Key': 'k' },
    });
    const answer = await openEgress(networkTo(port)).send(request);

    expect(answer).toMatchObject({ status: 200, headers: { 'content-length': '5', 'x-a': '1, 2' } });
    expect(Buffer.from(answer.body).toString()).toBe('hello');
    const lines = requests[0]?.split('\r\n');
    expect(lines?.[0]).toBe('POST /a%20b?c=d HTTP/1.1');
    expect(lines).toEqual(
      expect.arrayContaining([
        'host: api.example.com',
        'connection: close',
        'X-Key: k',
        'accept-encoding: identity',
        'content-length: 7',
      ]),
    );
  });

  test('goes to port 443, or to a port that was allowed for it', async () => {
    const { port, requests } = await startStandIn((socket) => socket.write(HELLO));
    const dialled: unknown[] = [];
    const dial = (...where: unknown[]) => {
      dialled.push(where);
      return { host: '127.0.0.1', port, tls: false };
    };
    const egress = openEgress(networkTo(port, { dial }));
    await egress.send(get('https://example.com/'));
    await egress.send(get('https://example.com:8443/', { namedPort: 8443 }));

    expect(dialled).toEqual([
      [PUBLIC, 443],
      [PUBLIC, 8443],
    ]);
    expect(requests[1]).toContain('\r\nhost: example.com:8443\r\n');
  });

  test('keeps bytes unchanged, both ways', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    const head = 'HTTP/1.1 200 OK\r\nContent-Length: 256\r\n\r\n';
    const { port, requests } = await startStandIn((socket) => socket.write(Buffer.concat([Buffer.from(head), bytes])));
    const answer = await openEgress(networkTo(port)).send(get('https://example.com/', { method: 'PUT', body: bytes }));

    expect(answer.body).toEqual(bytes);
    expect(requests[0]?.endsWith(Buffer.from(bytes).toString('latin1'))).toBe(true);
  });

  test('ignores proxies set in the environment', async () => {
    const proxy = await startStandIn((socket) => socket.end());
    for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy'])
      vi.stubEnv(name, `http://127.0.0.1:${proxy.port}`);
    vi.stubEnv('NODE_USE_ENV_PROXY', '1');
    const { port } = await startStandIn((socket) => socket.write(HELLO));

    expect(await openEgress(networkTo(port)).send(get('https://example.com/'))).toMatchObject({ status: 200 });
    expect(proxy.requests).toEqual([]);
  });

  test.each([
    ['http://example.com/', {}],
    ['https://127.0.0.1/', {}],
    ['https://example.com/', { headers: { Host: 'other.example.com' } }],
    ['https://example.com/', { headers: { a: 'b\r\nc: d' } }],
    ['https://example.com/', { method: 'CONNECT' }],
  ])('is refused before the host is looked up if it is not allowed: %s %j', async (url, more) => {
    const resolve = vi.fn(async () => [PUBLIC]);
    await expect(openEgress({ resolve }).send(get(url, more))).rejects.toThrow(EgressRefused);
    expect(resolve).not.toHaveBeenCalled();
  });
});

describe('the addresses of a host', () => {
  test('are looked up exactly once', async () => {
    const { port } = await startStandIn((socket) => socket.write(HELLO));
    const answers = [[PUBLIC], ['127.0.0.1']];
    const resolve = vi.fn(async () => answers.shift() ?? []);
    const dialled: string[] = [];
    const dial = (address: string) => {
      dialled.push(address);
      return { host: '127.0.0.1', port, tls: false };
    };
    await openEgress({ resolve, dial }).send(get('https://rebind.example.com/'));

    expect(resolve).toHaveBeenCalledTimes(1);
    expect(dialled).toEqual([PUBLIC]);
  });

  test.each([
    ['a private one', ['10.1.2.3']],
    ['a private one among public ones', [PUBLIC, '8.8.8.8', '10.1.2.3']],
    ['a metadata service', ['169.254.169.254']],
    ['an IPv4 one in IPv6', ['::ffff:10.1.2.3']],
    ['something that is not an address', ['10.1.2.3.example.com']],
    ['none', []],
  ])('must all be public: %s', async (_name, addresses) => {
    const dial = vi.fn();
    const sent = openEgress({ resolve: async () => addresses, dial }).send(get('https://inside.example.com/'));

    const refusal: unknown = await sent.catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(EgressRefused);
    // The same message, so that it does not reveal which internal names exist; and no address in it or in a cause.
    expect(refusal).toHaveProperty('message', expect.stringMatching(/^The host inside.example.com has no address, or/));
    expect(`${JSON.stringify(refusal)}${(refusal as Error).stack}`).not.toContain('10.1.2.3');
    expect(refusal).not.toHaveProperty('cause');
    expect(dial).not.toHaveBeenCalled();
  });

  test('are tried one after the other until one accepts', async () => {
    const { port } = await startStandIn((socket) => socket.write(HELLO));
    const closed = createServer();
    const closedPort = await listen(closed);
    closed.close();
    const dialled: string[] = [];
    const dial = (address: string) => {
      dialled.push(address);
      return { host: '127.0.0.1', port: address === '8.8.8.8' ? port : closedPort, tls: false };
    };
    const egress = openEgress({ resolve: async () => ['1.1.1.1', '8.8.8.8', '9.9.9.9'], dial });

    expect(await egress.send(get('https://example.com/'))).toMatchObject({ status: 200 });
    expect(dialled).toEqual(['1.1.1.1', '8.8.8.8']);
  });

  test('are tried up to the eighth, and the failure contains no address', async () => {
    const closed = createServer();
    const port = await listen(closed);
    closed.close();
    const dial = vi.fn(() => ({ host: '127.0.0.1', port, tls: false }));
    const resolve = async () => Array.from({ length: 50 }, (_, index) => `8.8.8.${index}`);

    const sent = openEgress({ resolve, dial }).send(get('https://example.com/'));
    await expect(sent).rejects.toThrow('The request to example.com failed: the connection was refused (ECONNREFUSED).');
    await expect(sent).rejects.toBeInstanceOf(EgressFailed);
    expect(dial).toHaveBeenCalledTimes(8);
  });

  test('share the time: one that hangs leaves some for the next', async () => {
    const { port } = await startStandIn((socket) => socket.write(HELLO));
    const mute = await startStandIn(() => {});
    // TLS to a server that sends nothing hangs like a connection without an answer.
    const dial = (address: string) =>
      address === '1.1.1.1'
        ? { host: '127.0.0.1', port: mute.port, tls: true }
        : { host: '127.0.0.1', port, tls: false };
    const egress = openEgress({ resolve: async () => ['1.1.1.1', '8.8.8.8'], dial });

    expect(await egress.send(get('https://example.com/', { timeoutMs: 1_000 }))).toMatchObject({ status: 200 });
  });

  test("that can't be resolved are a failure, not a refusal", async () => {
    const resolve = () => Promise.reject(Object.assign(new Error('10.0.0.53 is away'), { code: 'ESERVFAIL' }));
    const sent = openEgress({ resolve }).send(get('https://example.com/'));
    await expect(sent).rejects.toThrow(new EgressFailed('The host example.com could not be looked up (ESERVFAIL).'));
  });
});

describe('the deadline', () => {
  const short = { timeoutMs: 150 };

  test('covers the lookup and aborts the resolver', async () => {
    let aborted = false;
    const resolve = (_host: string, signal?: AbortSignal) => {
      signal?.addEventListener('abort', () => (aborted = true));
      return Promise.withResolvers<string[]>().promise;
    };
    const sent = openEgress({ resolve }).send(get('https://example.com/', short));
    await expect(sent).rejects.toThrow(new EgressFailed('example.com did not answer within 150 ms.'));
    expect(aborted).toBe(true);
  });

  test('covers the handshake', async () => {
    const { port, open } = await startStandIn(() => {});
    const dial = () => ({ host: '127.0.0.1', port, tls: true });
    const sent = openEgress(networkTo(port, { dial })).send(get('https://example.com/', short));
    await expect(sent).rejects.toThrow('did not answer within 150 ms');
    await waitFor('the connection to close', async () => open.size === 0);
  });

  test.each([
    ['headers that arrive byte by byte', 'HTTP/1.1 200 OK\r\n', 'a: b\r\n'],
    ['a body that arrives byte by byte', 'HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n', 'a'],
    ['endless early hints', '', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
    ['endless extensions of a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5', ';a'],
  ])('covers %s', async (_name, start, drip) => {
    const { port, open } = await startStandIn((socket) => {
      socket.write(start);
      const timer = setInterval(() => socket.write(drip), 5);
      socket.on('close', () => clearInterval(timer));
    });
    const sent = openEgress(networkTo(port)).send(get('https://example.com/', short));
    await expect(sent).rejects.toThrow('did not answer within 150 ms');
    await waitFor('the connection to close', async () => open.size === 0);
  });

  test('covers a request that the host does not read', async () => {
    const server = createServer({ pauseOnConnect: true }, (socket) => onTestFinished(() => void socket.destroy()));
    onTestFinished(() => void server.close());
    const network = networkTo(await listen(server));
    const sent = openEgress(network).send(
      get('https://example.com/', { ...short, method: 'POST', body: new Uint8Array(50_000_000) }),
    );
    await expect(sent).rejects.toThrow('did not answer within 150 ms');
  });

  test('may exceed the maximum of a timer', async () => {
    const { port } = await startStandIn((socket) => socket.write(HELLO));
    const sent = openEgress(networkTo(port)).send(get('https://example.com/', { timeoutMs: 1e12 }));
    expect(await sent).toMatchObject({ status: 200 });
  });
});

describe('the signal of the caller', () => {
  test('cancels the request, and its reason is the cause', async () => {
    const abort = new AbortController();
    const { port, open } = await startStandIn(() => abort.abort('enough'));
    const sent = openEgress(networkTo(port)).send(get('https://example.com/', { signal: abort.signal }));
    await expect(sent).rejects.toThrow(new EgressFailed('The request was cancelled.', { cause: 'enough' }));
    await waitFor('the connection to close', async () => open.size === 0);
  });

  test('prevents sending if it is already aborted', async () => {
    const resolve = vi.fn(async () => [PUBLIC]);
    const sent = openEgress({ resolve }).send(get('https://example.com/', { signal: AbortSignal.abort() }));
    await expect(sent).rejects.toThrow('cancelled');
    expect(resolve).not.toHaveBeenCalled();
  });

  test('is released in the end', async () => {
    const { port } = await startStandIn((socket) => socket.write(HELLO));
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    await openEgress(networkTo(port)).send(get('https://example.com/', { signal }));
    expect(added).toHaveBeenCalledTimes(1);
    expect(removed.mock.calls[0]?.[1]).toBe(added.mock.calls[0]?.[1]);
  });
});

describe('many requests at once', () => {
  test('have a connection each, and none is left open', async () => {
    const left = (kind: string) => process.getActiveResourcesInfo().filter((name) => name.includes(kind)).length;
    const others = left('TCPSocket'); // of tests that ran in this process before
    const { port, open, requests } = await startStandIn((socket) => setImmediate(() => socket.write(HELLO)));
    const egress = openEgress(networkTo(port));
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => egress.send(get(`https://host-${index}.example.com/`))),
    );

    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(new Set(requests.map((request) => /^host: (.*)$/m.exec(request)?.[1]))).toHaveProperty('size', 100);
    await waitFor('the connections to close', async () => open.size === 0 && left('TCPSocket') <= others);
    expect(left('Timeout')).toBeLessThan(100);
  });

  test('are all cancelled by close, and nothing is sent after it', async () => {
    const { port, open } = await startStandIn(() => {});
    const stuck = networkTo(port, { resolve: () => Promise.withResolvers<string[]>().promise });
    const looking = openEgress(stuck);
    const egress = openEgress(networkTo(port));
    const sent = Array.from({ length: 10 }, () => egress.send(get('https://example.com/')));
    const ends = Promise.allSettled([...sent, looking.send(get('https://example.com/'))]);
    await waitFor('the requests to arrive', async () => open.size === 10);

    await Promise.all([egress.close(), looking.close()]);
    const reasons = (await ends).map((end) => (end.status === 'rejected' ? end.reason : undefined));
    expect(reasons).toEqual(Array.from({ length: 11 }, () => expect.any(EgressFailed)));
    expect(String(reasons[0])).toContain('The service is stopping');
    await waitFor('the connections to close', async () => open.size === 0);

    await expect(egress.send(get('https://example.com/'))).rejects.toThrow('The service is stopping');
  });
});

describe('an origin on a private network that the operator allows', () => {
  const origin = 'http://127.0.0.1:8931';
  const to = (port: number, address: string) => ({
    resolve: async () => [address],
    dial: () => ({ host: '127.0.0.1', port, tls: false }),
  });

  test('is reached, and no other origin with it', async () => {
    const { port, requests } = await startStandIn((socket) => socket.write(HELLO));
    const egress = openEgress(to(port, '10.0.0.5'));

    expect(await egress.send(get(`${origin}/x`, { privateOrigin: origin }))).toMatchObject({ status: 200 });
    const named = 'https://mcp.corp.lan:8443';
    expect(await egress.send(get(`${named}/x`, { privateOrigin: named }))).toMatchObject({ status: 200 });
    for (const other of [
      'http://127.0.0.1:8932/',
      'http://127.0.0.1/',
      'https://127.0.0.1:8931/',
      'http://10.0.0.5:8931/',
    ])
      await expect(egress.send(get(other, { privateOrigin: origin }))).rejects.toBeInstanceOf(EgressRefused);
    expect(requests).toHaveLength(2);
  });

  test.each(['169.254.169.254', '::ffff:169.254.169.254', 'fe80::1', '168.63.129.16', 'fd00:ec2::254', '0.0.0.0'])(
    'never leads to a metadata service: %s',
    async (address) => {
      const { port, requests } = await startStandIn((socket) => socket.write(HELLO));
      const egress = openEgress(to(port, address));
      const literal = `http://${address.includes(':') ? `[${address}]` : address}`;
      const byAddress = new URL(literal).origin;

      await expect(
        egress.send(get('http://mcp.corp.lan/', { privateOrigin: 'http://mcp.corp.lan' })),
      ).rejects.toBeInstanceOf(EgressRefused);
      await expect(egress.send(get(byAddress, { privateOrigin: byAddress }))).rejects.toBeInstanceOf(EgressRefused);
      expect(requests).toEqual([]);
    },
  );
});

test('the addresses of a mail server are public, unless the operator allows its private network', async () => {
  const egress = openEgress({ resolve: async (host) => (host === 'mail.example.com' ? [PUBLIC] : ['10.0.0.1']) });
  expect(await egress.lookUp('mail.example.com', { isPrivate: false })).toEqual([PUBLIC]);
  for (const host of ['inside.example.com', 'localhost', '10.0.0.1', 'mail.corp', 'a b'])
    await expect(egress.lookUp(host, { isPrivate: false })).rejects.toThrow(EgressRefused);
  expect(await egress.lookUp('inside.example.com', { isPrivate: true })).toEqual(['10.0.0.1']);
  await expect(egress.lookUp('169.254.169.254', { isPrivate: true })).rejects.toThrow(EgressRefused);
});
