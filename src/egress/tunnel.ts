import type { Socket } from 'node:net';
import { type Duplex, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { readClientHello } from './client-hello.ts';
import type { Egress } from './egress.ts';
import { EgressRefused } from './egress-failure.ts';

/** What code with network has reached, and what it has tried in vain. */
export type TunnelUse = {
  readonly reached: readonly Reached[];
  readonly refused: readonly Refused[];
};
type Reached = { readonly host: string; connections: number; sentBytes: number; receivedBytes: number };
type Refused = { readonly target: string; readonly reason: string; attempts: number };

export type Tunnel = {
  /** Serves a connection that ends when the other side has closed it. Never throws. */
  readonly accept: (connection: Duplex) => void;
  /** Cuts all connections, and resolves when they are gone. */
  close(): Promise<TunnelUse>;
};

type Options = {
  readonly egress: Pick<Egress, 'connectByName'>;
  readonly hosts: readonly string[];
};

/** Each way, of all connections together. */
const MOST_BYTES = 50 * 2 ** 20;
const MOST_HEAD_BYTES = 8192;
/** For the request, for the connection, and for the ClientHello. */
const STEP_MS = 10_000;
const MOST_LISTED = 50;
const MOST_TARGET = 260;
const PORT = 443;
const FORBIDDEN = 403;

/**
 * A proxy for code that must reach a few hosts and nothing else. It knows CONNECT alone. A name is compared letter by letter before
 * it is looked up, because a lookup would already carry data out, and the client must ask the server for the same name. What is said
 * after that is encrypted, and not looked at.
 */
export function createTunnel({ egress, hosts }: Options): Tunnel {
  const stop = new AbortController();
  const open = new Set<Duplex>();
  const underway = new Set<Promise<void>>();
  const use = createUse();
  const left = { sentBytes: MOST_BYTES, receivedBytes: MOST_BYTES };
  const isUsedUp = (): boolean => left.sentBytes < 0 || left.receivedBytes < 0;
  const cutAll = (): void => {
    for (const connection of open) connection.destroy();
  };

  /** Counts what passes. The first chunk above the limit is not passed on, and cuts every connection. */
  function meter(visited: Reached, way: keyof typeof left): Transform {
    return new Transform({
      transform(chunk: Buffer, _, done) {
        if (!isUsedUp() && (left[way] -= chunk.length) >= 0) {
          visited[way] += chunk.length;
          return done(null, chunk);
        }
        use.refuse(new Refusal(visited.host, USED_UP));
        cutAll();
      },
    });
  }

  async function serve(connection: Duplex): Promise<void> {
    const head = await takeFirst(connection, endOfHead);
    if (head === undefined) return;
    const host = allowedHost(head, hosts);
    if (isUsedUp()) throw new Refusal(host, USED_UP, FORBIDDEN);
    const socket = await dial(egress, host, stop.signal);
    try {
      connection.write('HTTP/1.1 200 Connection established\r\n\r\n');
      if (!(await takeFirst(connection, (bytes) => checkHello(bytes, host)))) return;
      const visited = use.visit(host);
      await relay(connection, socket, meter(visited, 'sentBytes'), meter(visited, 'receivedBytes'));
    } finally {
      socket.destroy();
    }
  }

  async function serveOrRefuse(connection: Duplex): Promise<void> {
    try {
      await serve(connection);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      use.refuse(error);
      if (error.status !== undefined && !connection.destroyed) return void connection.resume().end(answerOf(error));
    }
    connection.destroy();
  }

  return {
    accept(connection) {
      if (stop.signal.aborted) return void connection.destroy();
      open.add(connection.on('error', () => {}).on('close', () => open.delete(connection))); // its reader handles errors
      const served = serveOrRefuse(connection);
      underway.add(served);
      const forget = (): void => void underway.delete(served);
      served.then(forget, () => connection.destroy()); // what is kept tells `close` of the error
    },
    async close() {
      stop.abort(new Error('The call has ended.'));
      cutAll();
      await Promise.all(underway);
      return use.all();
    },
  };
}

/** A connection that is refused. With a status it is answered, otherwise it is cut. */
class Refusal extends Error {
  readonly target: string;
  readonly status: number | undefined;

  constructor(target: string, reason: string, status?: number) {
    super(reason);
    this.target = target;
    this.status = status;
  }
}

const USED_UP = 'more bytes than a call may carry';

/** The host that a request names; throws `Refusal` unless it is one of the list, written exactly so. */
function allowedHost(head: string, hosts: readonly string[]): string {
  const [request = ''] = head.split('\r\n', 1);
  const [method = '', target = '', version = ''] = request.split(' ');
  const shown = target.replace(/[^\x21-\x7e]/g, '?').slice(0, MOST_TARGET);
  if (method !== 'CONNECT' || !/^HTTP\/1\.[01]$/.test(version))
    throw new Refusal(shown, 'only https is allowed', FORBIDDEN);
  const host = hosts.find((each) => target === `${each}:${PORT}`);
  if (host !== undefined) return host;
  const isOtherPort = hosts.some((each) => target.startsWith(`${each}:`));
  throw new Refusal(shown, isOtherPort ? `only port ${PORT} is allowed` : 'this host is not allowed', FORBIDDEN);
}

/** Connects to an address that was looked up now and is public: see `resolvePublic`. */
async function dial(egress: Options['egress'], host: string, signal: AbortSignal): Promise<Socket> {
  try {
    return await egress.connectByName(host, { timeoutMs: STEP_MS, signal });
  } catch (error) {
    const isRefused = error instanceof EgressRefused;
    throw new Refusal(
      host,
      isRefused ? 'it has no public address' : 'it could not be reached',
      isRefused ? FORBIDDEN : 502,
    );
  }
}

function answerOf({ status = FORBIDDEN, message }: Refusal): string {
  return `HTTP/1.1 ${status} ${message}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`;
}

/** Nothing after the head may come before the answer; a client of TLS waits for it, too. */
function endOfHead(bytes: Buffer): Found<string> {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0 && bytes.length > MOST_HEAD_BYTES) throw new Refusal('', 'only https is allowed', FORBIDDEN);
  return end < 0 ? undefined : { value: bytes.toString('latin1', 0, end), length: end + 4 };
}

/** Leaves the ClientHello in the connection. */
function checkHello(bytes: Buffer, host: string): Found<true> {
  const hello = readClientHello(bytes);
  if (!hello) return undefined;
  if ('problem' in hello) throw new Refusal(host, hello.problem);
  if (hello.name !== host) throw new Refusal(host, 'a ClientHello for another name');
  return { value: true, length: 0 };
}

type Found<T> = { readonly value: T; readonly length: number } | undefined;

/**
 * Reads until `look` finds something in the first bytes, and puts the rest back. Undefined if the connection ends before, or if
 * nothing is found in time.
 */
async function takeFirst<T>(connection: Duplex, look: (bytes: Buffer) => Found<T>): Promise<T | undefined> {
  if (connection.destroyed || connection.readableEnded) return undefined;
  const { promise, resolve, reject } = Promise.withResolvers<T | undefined>();
  let bytes = Buffer.alloc(0);
  const read = (): void => {
    try {
      for (let chunk: Buffer | null; (chunk = connection.read() as Buffer | null) !== null; ) {
        bytes = Buffer.concat([bytes, chunk]);
        const found = look(bytes);
        if (!found) continue;
        connection.off('readable', read);
        if (bytes.length > found.length) connection.unshift(bytes.subarray(found.length));
        return resolve(found.value);
      }
    } catch (error) {
      reject(error);
    }
  };
  const giveUp = (): void => resolve(undefined);
  const timer = setTimeout(() => connection.destroy(), STEP_MS);
  connection.on('readable', read).once('end', giveUp).once('close', giveUp);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    connection.off('readable', read).off('end', giveUp).off('close', giveUp);
  }
}

/** Ends when one side has closed, and the other has got everything that was said before. */
async function relay(connection: Duplex, socket: Socket, up: Transform, down: Transform): Promise<void> {
  connection.pipe(up).pipe(socket); // a pipeline would destroy the connection if the server closes first
  up.once('end', () => socket.destroySoon());
  await pipeline(socket, down, connection).catch(() => {}); // one side was cut: nothing is left to do
}

/** A guest can try any number of names, so only the first ones are listed. */
function createUse() {
  const reached = new Map<string, Reached>();
  const refused = new Map<string, Refused>();
  return {
    all: (): TunnelUse => ({ reached: [...reached.values()], refused: [...refused.values()] }),
    visit(host: string): Reached {
      const visited = reached.get(host) ?? { host, connections: 0, sentBytes: 0, receivedBytes: 0 };
      reached.set(host, visited);
      visited.connections++;
      return visited;
    },
    refuse({ target, message: reason }: Refusal): void {
      const key = `${target} ${reason}`;
      const isListed = refused.has(key) || refused.size < MOST_LISTED;
      const entry = refused.get(isListed ? key : '') ?? (isListed ? { target, reason, attempts: 0 } : { ...OTHERS });
      entry.attempts++;
      refused.set(isListed ? key : '', entry);
    },
  };
}

const OTHERS: Refused = { target: 'others', reason: 'not listed', attempts: 0 };
