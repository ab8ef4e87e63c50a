import { checkHeaders } from './check-headers.ts';
import { checkPrivateTarget, checkTarget } from './check-target.ts';
import { dial } from './dial.ts';
import { EgressFailed, toEgressFailure } from './egress-failure.ts';
import type { EgressAnswer, EgressRequest } from './exchange.ts';
import type { Network } from './network.ts';
import { createDns } from './public-dns.ts';
import { resolvePrivate, resolvePublic } from './resolve-public.ts';

export type Egress = {
  /** Throws only `EgressRefused` or `EgressFailed`. A redirect is returned as an answer and not followed. */
  send(request: EgressRequest): Promise<EgressAnswer>;
  /** Cancels all requests and refuses new ones. */
  close(): Promise<void>;
};

/**
 * The only way out: https to hosts on the public internet, at addresses that were looked up once and checked. The
 * operator can allow single origins on a private network.
 */
export function createEgress(network: Network = { resolve: createDns() }): Egress {
  const underway = new Map<AbortController, Promise<EgressAnswer>>();
  let closed = false;

  return {
    send(request) {
      if (closed) return Promise.reject(closing());
      const stop = new AbortController();
      const answer = send(network, request, stop).finally(() => underway.delete(stop));
      underway.set(stop, answer);
      return answer;
    },
    async close() {
      closed = true;
      for (const stop of underway.keys()) stop.abort(closing());
      await Promise.allSettled(underway.values());
    },
  };
}

async function send(network: Network, request: EgressRequest, stop: AbortController): Promise<EgressAnswer> {
  const allowed = checkPrivateTarget(request.method, request.url, request.privateOrigin);
  const url = allowed ?? checkTarget(request.method, request.url, request.namedPort);
  checkHeaders(request.headers ?? {});

  const host = url.hostname;
  const deadline = { endsAt: performance.now() + timeoutOf(request), signal: stop.signal };
  const release = stopInTime(host, request, stop);
  try {
    stop.signal.throwIfAborted();
    const resolve = allowed ? resolvePrivate : resolvePublic;
    const addresses = await resolve(network, host, stop.signal);
    const socket = await dial(network, addresses, url, deadline);
    const { exchange } = await import('./exchange.ts'); // loads an HTTP client, which few starts need
    return await exchange(socket, url, request, stop.signal);
  } catch (error) {
    throw toEgressFailure(host, stop.signal.aborted ? stop.signal.reason : error);
  } finally {
    release();
  }
}

/** A longer timer fires at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

function timeoutOf({ timeoutMs }: EgressRequest): number {
  return Math.min(timeoutMs, LONGEST_TIMER);
}

/** Stops the request when its time is up or its caller cancels, until it is released. */
function stopInTime(host: string, request: EgressRequest, stop: AbortController): () => void {
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
