import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { buildHello, serverName, toRecord } from '#egress/client-hello.test-support.ts';
import { createEgress, type Egress } from '#egress/egress.ts';
import { createTunnel, type TunnelUse } from '#egress/tunnel.ts';
import type { Call, Ran } from '#sandbox/sandbox.ts';
import { startTlsStandIn, type TlsStandIn } from '../support/tls-stand-in.ts';
import { createSmallSandboxes, type Guest, isPossible, never, openGuest, textFile } from './guest.ts';

const HOST = 'allowed.example';
const PUBLIC = '93.184.215.14';
const MIB = 2 ** 20;
const sandboxes = createSmallSandboxes();
const seen = { lookups: [] as string[], dialled: [] as string[] };
/** Addresses that a lookup finds, one after the other; the last one from then on. */
const addresses = new Map<string, string[]>();
let outside: TlsStandIn;
let egress: Egress;
let guest: Guest;

beforeEach(({ skip }) => {
  skip(!isPossible);
  Object.assign(seen, { lookups: [], dialled: [] });
  Object.assign(outside.seen, { requests: [], receivedBytes: 0 });
  addresses.clear();
});

beforeAll(async () => {
  if (!isPossible) return;
  outside = await startTlsStandIn(HOST);
  egress = createEgress({
    resolve: async (host) => {
      seen.lookups.push(host);
      const found = addresses.get(host) ?? [PUBLIC];
      return [(found.length > 1 ? found.shift() : found[0]) ?? PUBLIC];
    },
    dial: (address, wanted) => {
      seen.dialled.push(`${address}:${wanted}`);
      return { host: '127.0.0.1', port: outside.port, tls: false };
    },
  });
  guest = await openGuest(sandboxes, [textFile('ca.pem', outside.certificate), textFile('ask.py', ASK)]);
});

afterAll(async () => {
  await sandboxes.close();
  if (!isPossible) return;
  await egress.close();
  await outside.close();
});

/** What a guest imports: it says something to the proxy and shows the status, or `cut`, or that it was let through. */
const ASK = `
import socket, ssl, sys
def talk(*parts, port=3128):
    s = socket.create_connection(("127.0.0.1", port), 15)
    answers = []
    for part in parts:
        try:
            s.sendall(part)
            got = s.recv(4096)
        except OSError:
            got = b""
        answers.append(got.split(b" ", 2)[1].decode() if got.startswith(b"HTTP/1.1 ") else "cut" if got == b"" else "let through")
    return answers
def connect(target):
    return b"CONNECT " + target + b" HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n"
`;

type Done = Ran & { readonly use: TunnelUse };

/** Runs a call with network, and tells what the tunnel has noted for the audit log. */
async function run(
  call: Omit<Call & { kind: 'shell' }, 'timeoutMs'> | Omit<Call & { kind: 'python' }, 'timeoutMs'>,
): Promise<Done> {
  const tunnel = createTunnel({ egress, hosts: [HOST] });
  const on = { progress: () => {}, signal: never, accept: tunnel.accept };
  try {
    const ran = await guest.run({ timeoutMs: 60_000, ...call }, on);
    return { ...ran, use: await tunnel.close() };
  } finally {
    await tunnel.close();
  }
}

const shell = (command: string) => run({ kind: 'shell', command });
const python = (code: string) => shell(`python3 - <<'END'\nfrom ask import *\n${code}\nEND`);
const CURL = 'curl -sS --cacert ca.pem -m 40';
const bytesOf = (bytes: Buffer) => `bytes.fromhex("${bytes.toString('hex')}")`;

describe('an allowed host', () => {
  test('is reached by curl and by Python, with its certificate checked inside', async () => {
    const curl = await shell(`${CURL} https://${HOST}/a`);
    expect(curl).toMatchObject({ output: `served ${HOST}`, exitCode: 0 });
    const fetch = `import ssl, urllib.request as r\nprint(r.urlopen("https://${HOST}/b", context=ssl.create_default_context(cafile="ca.pem")).read().decode())`;
    expect((await run({ kind: 'python', code: fetch })).output).toBe(`served ${HOST}\n`);
    expect((await shell(`python3 -c '${fetch}'`)).output).toBe(`served ${HOST}\n`);
    expect(outside.seen.requests).toEqual(['GET /a HTTP/1.1', 'GET /b HTTP/1.1', 'GET /b HTTP/1.1']);
    expect(seen.dialled).toEqual(Array(3).fill(`${PUBLIC}:443`));
    expect(curl.use.refused).toEqual([]);
    expect(curl.use.reached).toEqual([
      { host: HOST, connections: 1, sentBytes: expect.any(Number), receivedBytes: expect.any(Number) },
    ]);
    expect(curl.use.reached[0]?.sentBytes).toBeGreaterThan(200);
    expect((await shell(`curl -sS https://${HOST}/`)).output).toContain('SSL certificate problem');
  });

  test('carries large bodies whole, on many connections at once', async () => {
    const { output, use } = await shell(`for n in $(seq 40); do ${CURL} https://${HOST}/1000000 | wc -c & done; wait`);
    expect(output).toBe('1000000\n'.repeat(40));
    expect(use.reached[0]).toMatchObject({ connections: 40 });
  }, 90_000);

  test('is reached during the call only', async () => {
    await shell('true');
    const { output } = await guest.shell(`env | grep -ci proxy; curl -sS -x http://127.0.0.1:3128 https://${HOST}/`);
    expect(output).toMatch(/^0\ncurl: \(7\) Failed to connect to 127.0.0.1 port 3128/);
    await run({ kind: 'python', code: 'import os; kept = os.environ["https_proxy"]' });
    expect((await guest.python('kept, "https_proxy" in os.environ')).output).toBe("('http://127.0.0.1:3128', False)\n");
  });

  test('is reached although the interpreter has taken the port, or kept a connection', async () => {
    await run({ kind: 'python', code: 'import socket\nold = socket.create_connection(("127.0.0.1", 3128))' });
    expect((await guest.python('old.settimeout(5); old.recv(1)')).output).toMatch(/^b''|ConnectionResetError/m);
    await guest.python('mine = socket.create_server(("127.0.0.1", 3128))');
    expect(await shell(`${CURL} https://${HOST}/`)).toMatchObject({ output: `served ${HOST}` });
  });
});

describe('34 and 35 what is no CONNECT to an allowed name and port is answered with 403, before any lookup', () => {
  test('34 plain HTTP', async () => {
    const { output, use } = await shell(`curl -s -o /dev/null -w '%{http_code}' http://${HOST}/secret`);
    expect(output).toBe('403');
    expect(use.refused).toEqual([{ target: `http://${HOST}/secret`, reason: 'only https is allowed', attempts: 1 }]);
    expect(seen).toMatchObject({ lookups: [], dialled: [] });
  });

  test.each([
    ['an address', `${PUBLIC}:443`],
    ['a private address', '127.0.0.1:443'],
    ['the metadata service', '169.254.169.254:443'],
    ['an IPv6 address', '[::1]:443'],
    ['a number', '2130706433:443'],
    ['port 22', `${HOST}:22`, 'only port 443 is allowed'],
    ['port 80', `${HOST}:80`, 'only port 443 is allowed'],
    ['no port', HOST],
    ['another spelling of the port', `${HOST}:0443`, 'only port 443 is allowed'],
    ['upper case', `Allowed.example:443`],
    ['a dot at the end', `${HOST}.:443`],
    ['unicode', 'allowed。example:443'],
    ['a letter of another script', 'аllowed.example:443'],
    ['punycode', 'xn--llowed-3ve.example:443'],
    ['percent signs', 'allowed%2eexample:443'],
    ['a user name', `user@${HOST}:443`],
    ['another host behind it', `${HOST}:443@evil.example:443`, 'only port 443 is allowed'],
    ['another host before it', `evil.example#${HOST}:443`],
    ['a zero byte', `${HOST}\0.evil.example:443`],
    ['a subdomain, with data in its name', `secret.${HOST}:443`],
    ['another host', 'evil.example:443'],
    ['a URL', `https://${HOST}:443`],
    ['a second word', `evil.example:443 ${HOST}:443`, 'only https is allowed'],
    ['nothing', ''],
  ])('35 CONNECT to %s', async (_, target, reason = 'this host is not allowed') => {
    const { output, use } = await python(`print(*talk(connect(${bytesOf(Buffer.from(target))})))`);
    expect(output).toBe('403\n');
    expect(use.refused).toEqual([{ target: expect.any(String), reason, attempts: 1 }]);
    expect(seen).toMatchObject({ lookups: [], dialled: [] });
  });

  test('a head without an end', async () => {
    const { output, use } = await python('print(*talk(b"CONNECT " + b"a" * 9000))');
    expect(output).toBe('403\n');
    expect(use.refused).toHaveLength(1);
  });

  test('any number of names: all are counted, and the first are listed', async () => {
    const { use } = await python('for n in range(300): talk(connect(b"secret-%d.evil.example:443" % n))');
    expect(use.refused).toHaveLength(51);
    expect(use.refused.reduce((sum, { attempts }) => sum + attempts, 0)).toBe(300);
    expect(seen.lookups).toEqual([]);
  });
});

describe('36 what is not TLS for the same name is cut, before a byte of it goes out', () => {
  test.each([
    ['another name in the ClientHello', buildHello([serverName('evil.example')]), 'a ClientHello for another name'],
    ['the name in upper case', buildHello([serverName('ALLOWED.example')]), 'a ClientHello for another name'],
    ['no name', buildHello([]), 'a ClientHello without a name'],
    ['two names', buildHello([serverName(HOST, 'evil.example')]), 'no whole ClientHello'],
    ['an encrypted ClientHello', buildHello([serverName(HOST), [0xfe0d, Buffer.alloc(9)]]), 'an encrypted ClientHello'],
    ['a ClientHello in two records', toRecord(buildHello([serverName(HOST)]).subarray(5, 50)), 'no whole ClientHello'],
    ['a second CONNECT', Buffer.from('CONNECT evil.example:443 HTTP/1.1\r\n\r\n'), 'not TLS'],
    ['plain HTTP', Buffer.from(`GET / HTTP/1.1\r\nhost: ${HOST}\r\n\r\n`), 'not TLS'],
    ['SSH', Buffer.from('SSH-2.0-x\r\n'), 'not TLS'],
  ])('%s', async (_, bytes, reason) => {
    const { output, use } = await python(`print(*talk(connect(b"${HOST}:443"), ${bytesOf(bytes)}))`);
    expect(output).toBe('200 cut\n');
    expect(use).toEqual({ reached: [], refused: [{ target: HOST, reason, attempts: 1 }] });
    expect(outside.seen.receivedBytes).toBe(0);
  });

  test('a second CONNECT right behind the first, in the same bytes', async () => {
    const { output, use } = await python(`print(*talk(connect(b"${HOST}:443") + connect(b"evil.example:443"), b""))`);
    expect(output).toBe('200 cut\n');
    expect(use.refused).toEqual([{ target: HOST, reason: 'not TLS', attempts: 1 }]);
    expect(seen.lookups).toEqual([HOST]);
  });

  test('a certificate for a name that is not asked for does not help: the host is the one of the list', async () => {
    const evil = `context = ssl.create_default_context(cafile="ca.pem"); context.check_hostname = False
s = socket.create_connection(("127.0.0.1", 3128)); s.sendall(connect(b"${HOST}:443")); s.recv(100)
try: context.wrap_socket(s, server_hostname="evil.example"); print("let through")
except OSError as error: print(type(error).__name__)`;
    const { output, use } = await python(evil);
    expect(output).not.toContain('let through');
    expect(use.refused).toEqual([{ target: HOST, reason: 'a ClientHello for another name', attempts: 1 }]);
  });

  test('a relay in the sandbox reaches what the proxy allows, and nothing else', async () => {
    const { output, use } = await python(`
import threading
def pump(a, b):
    while data := a.recv(4096): b.sendall(data)
    b.shutdown(1)
def relay(listener):
    while True:
        near, _ = listener.accept()
        far = socket.create_connection(("127.0.0.1", 3128))
        for one, other in ((near, far), (far, near)): threading.Thread(target=pump, args=(one, other), daemon=True).start()
listener = socket.create_server(("127.0.0.1", 8080))
threading.Thread(target=relay, args=(listener,), daemon=True).start()
print(*talk(connect(b"evil.example:443"), port=8080), *talk(connect(b"${HOST}:443"), port=8080))`);
    expect(output).toBe('403 200\n');
    expect(use.refused).toEqual([{ target: 'evil.example:443', reason: 'this host is not allowed', attempts: 1 }]);
    expect(seen.lookups).toEqual([HOST]);
  });
});

describe('37 a name that leads to a private address', () => {
  test('is refused, and not dialled', async () => {
    addresses.set(HOST, ['10.0.0.5']);
    const { output, use } = await python(`print(*talk(connect(b"${HOST}:443")))`);
    expect(output).toBe('403\n');
    expect(use.refused).toEqual([{ target: HOST, reason: 'it has no public address', attempts: 1 }]);
    expect(seen.dialled).toEqual([]);
  });

  test('also if it was public a moment ago: each connection goes to the address that was checked', async () => {
    addresses.set(HOST, [PUBLIC, '127.0.0.1']);
    const ask = `talk(connect(b"${HOST}:443"))`;
    const { output } = await python(`print(*${ask}, *${ask})`);
    expect(output).toBe('200 403\n');
    expect(seen).toMatchObject({ lookups: [HOST, HOST], dialled: [`${PUBLIC}:443`] });
  });
});

describe('38 more bytes than a call may carry', () => {
  test('in: all connections are cut, and the next one is refused', async () => {
    const { output, use } = await shell(
      `${CURL} https://${HOST}/${51 * MIB} 2>/dev/null | wc -c; ${CURL} https://${HOST}/ 2>&1`,
    );
    const [received, next] = output.split('\n');
    expect(Number(received)).toBeLessThan(50 * MIB);
    expect(Number(received)).toBeGreaterThan(45 * MIB);
    expect(next).toContain('403');
    expect(use.reached[0]?.receivedBytes).toBeLessThanOrEqual(50 * MIB);
    expect(use.refused).toEqual([{ target: HOST, reason: 'more bytes than a call may carry', attempts: 2 }]);
  }, 90_000);

  test('out', async () => {
    const { use, exitCode } = await shell(`head -c ${51 * MIB} /dev/zero | ${CURL} -T - https://${HOST}/up`);
    expect(exitCode).not.toBe(0);
    expect(outside.seen.receivedBytes).toBeLessThanOrEqual(50 * MIB);
    expect(use.reached[0]?.sentBytes).toBeGreaterThan(45 * MIB);
    expect(use.refused).toEqual([{ target: HOST, reason: 'more bytes than a call may carry', attempts: 1 }]);
  }, 90_000);
});

describe('there is no other way out', () => {
  test('direct connections, and lookups', async () => {
    const { output, use } = await python(`
import errno
def attempt(what):
    try: return what()
    except OSError as error: return errno.errorcode.get(error.errno, type(error).__name__)
print(attempt(lambda: socket.create_connection(("${PUBLIC}", 443), 3)), attempt(lambda: socket.create_connection(("169.254.169.254", 80), 3)))
print(attempt(lambda: socket.getaddrinfo("secret.evil.example", 443)))
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
print(attempt(lambda: u.sendto(b"x", ("1.1.1.1", 53))))
print([line.split(":")[0].strip() for line in open("/proc/net/dev").read().splitlines()[2:]])`);
    expect(output).toBe("ENETUNREACH ENETUNREACH\ngaierror\nENETUNREACH\n['lo']\n");
    expect(use).toEqual({ reached: [], refused: [] });
    expect(seen.lookups).toEqual([]);
  });

  test('a guest that opens connections and does not use them harms only itself', async () => {
    const { output } = await python(`
idle = [socket.create_connection(("127.0.0.1", 3128)) for _ in range(32)]
try: print(*talk(connect(b"evil.example:443")))
except OSError as error: print(type(error).__name__)`);
    expect(output).toMatch(/cut|TimeoutError/);
    expect((await python('print(*talk(connect(b"evil.example:443")))')).output).toBe('403\n');
  }, 60_000);
});
