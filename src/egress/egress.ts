import type { Socket } from 'node:net';
import { checkHeaders } from './check-headers.ts';
import { checkHost, checkPrivateTarget, checkTarget } from './check-target.ts';
import { dial } from './dial.ts';
import { EgressFailed, toEgressFailure } from './egress-failure.ts';
import type { EgressAnswer, EgressRequest } from './exchange.ts';
import type { Network } from './network.ts';
import { createDns } from './public-dns.ts';
import { resolvePrivate, resolvePublic } from './resolve-public.ts';

export type Egress = {
  /** Throws only `EgressRefused` or `EgressFailed`. A redirect is returned as an answer and not followed. */
  send(request: EgressRequest): Promise<EgressAnswer>;
  /** Opens a connection for a WebSocket, with the same checks. The caller ends it. */
  connect(request: Pick<EgressRequest, 'url' | 'timeoutMs' | 'signal'>): Promise<Socket>;
  /** Opens a plain connection to port 443 of a public host. The one who uses it speaks TLS. The caller ends it. */
  connectByName(host: string, options: Pick<EgressRequest, 'timeoutMs' | 'signal'>): Promise<Socket>;
  /**
   * The addresses of a mail server. They must be public, unless the operator allows the private network for it. The caller connects
   * to one of them, and checks the certificate for the name.
   */
  lookUp(host: string, options: { readonly isPrivate: boolean }): Promise<readonly string[]>;
  /** Cancels all requests and refuses new ones. */
  close(): Promise<void>;
};

/**
 * The only way out: https to hosts on the public internet, at addresses that were looked up once and checked. The
 * operator can allow single origins on a private network.
 */
export function createEgress(network: Network = { resolve: createDns() }): Egress {
  const underway = new Map<AbortController, Promise<unknown>>();
  const connected = new Set<Socket>();
  let closed = false;

  return {
    send: (request) => start((stop) => send(network, request, stop)),
    connect: async (request) => connect(checkTarget('GET', request.url), request),
    async connectByName(host, request) {
      checkHost(host);
      return connect(new URL(`http://${host}:443`), request); // by its protocol, `dial` adds no TLS
    },
    async lookUp(host, { isPrivate }) {
      if (closed) throw closing();
      if (!isPrivate) checkHost(host);
      const resolve = isPrivate ? resolvePrivate : resolvePublic;
      return resolve(network, host, AbortSignal.timeout(LOOK_UP_MS));
    },
    async close() {
      closed = true;
      for (const stop of underway.keys()) stop.abort(closing());
      await Promise.allSettled(underway.values());
      for (const socket of connected) socket.destroy();
    },
  };

  async function connect(url: URL, request: Reaching['request']): Promise<Socket> {
    const socket = await start((stop) =>
      reach(network, { url, request, stop, isPrivate: false }, async (made) => made),
    );
    connected.add(socket.once('close', () => connected.delete(socket)));
    return socket;
  }

  function start<T>(act: (stop: AbortController) => Promise<T>): Promise<T> {
    if (closed) return Promise.reject(closing());
    const stop = new AbortController();
    const done = act(stop).finally(() => underway.delete(stop));
    underway.set(stop, done);
    return done;
  }
}

async function send(network: Network, request: EgressRequest, stop: AbortController): Promise<EgressAnswer> {
  const allowed = checkPrivateTarget(request.method, request.url, request.privateOrigin);
  const url = allowed ?? checkTarget(request.method, request.url, request.namedPort);
  checkHeaders(request.headers ?? {});
  return reach(network, { url, request, stop, isPrivate: allowed !== undefined }, async (socket) => {
    const { exchange } = await import('./exchange.ts'); // loads an HTTP client, which few starts need
    return exchange(socket, url, request, stop.signal);
  });
}

type Reaching = {
  readonly url: URL;
  readonly request: Pick<EgressRequest, 'timeoutMs' | 'signal'>;
  readonly stop: AbortController;
  readonly isPrivate: boolean;
};

/** Connects to a checked URL, and uses the connection within the time of the request. */
async function reach<T>(
  network: Network,
  { url, request, stop, isPrivate }: Reaching,
  use: (socket: Socket) => Promise<T>,
): Promise<T> {
  const host = url.hostname;
  const deadline = { endsAt: performance.now() + timeoutOf(request), signal: stop.signal };
  const release = stopInTime(host, request, stop);
  try {
    stop.signal.throwIfAborted();
    const resolve = isPrivate ? resolvePrivate : resolvePublic;
    const addresses = await resolve(network, host, stop.signal);
    return await use(await dial(network, addresses, url, deadline));
  } catch (error) {
    throw toEgressFailure(host, stop.signal.aborted ? stop.signal.reason : error);
  } finally {
    release();
  }
}

const LOOK_UP_MS = 8000;

/** A longer timer fires at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

function timeoutOf({ timeoutMs }: Pick<EgressRequest, 'timeoutMs'>): number {
  return Math.min(timeoutMs, LONGEST_TIMER);
}

/** Stops the request when its time is up or its caller cancels, until it is released. */
function stopInTime(
  host: string,
  request: Pick<EgressRequest, 'timeoutMs' | 'signal'>,
  stop: AbortController,
): () => void {
  const { timeoutMs, signal } = request;
  const timeOut = () => stop.abort(new EgressFailed(`${host} did not answer within ${timeoutMs} ms.`));
  const cancel = () => stop.abort(new EgressFailed('The request was cancelled.', { cause: signal?.reason }));

  const timer = setTimeout(timeOut, timeoutOf(request));
  signal?.addEventListener('abort', cancel);
  if (signal?.aborted) cancel();
  return () => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
  };
}

function closing(): EgressFailed {
  return new EgressFailed('The service is stopping. Send the request again when it is back.');
}
