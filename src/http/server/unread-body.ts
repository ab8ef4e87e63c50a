import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { isUnauthenticated } from './connections.ts';

/** Slightly more than twice the largest body, so that a client that sends too large a body still reads the answer. */
const MAX_DISCARDED_BYTES = 32 * 1024 * 1024;
const DISCARD_MS = 15_000;
const DISCARD_IDLE_MS = 500;

/**
 * A request that is refused early leaves its body unread. If the connection were closed now, many clients would report a
 * broken pipe instead of the answer. So a bounded part of the body is read and discarded, without being parsed.
 */
export function discardUnreadBodies(app: FastifyInstance): void {
  app.addHook('onSend', async ({ raw }, reply, payload) => {
    if (isUnread(raw) && !(await discard(raw))) reply.header('connection', 'close');
    return payload;
  });
}

/** An upgrade request is never complete, and has no body. */
function isUnread({ complete, readableEnded, headers }: IncomingMessage): boolean {
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  return hasBody && !complete && !readableEnded;
}

/** Resolves to whether the end of the body was reached. */
async function discard(request: IncomingMessage): Promise<boolean> {
  let bytes = 0;
  return new Promise((resolve) => {
    const deadline = setTimeout(() => finish(false), DISCARD_MS);
    // A busy process may find that time has passed before it looks at what has arrived.
    const idle = setTimeout(() => {
      const before = bytes;
      setImmediate(() => bytes === before && finish(false));
    }, DISCARD_IDLE_MS);
    const onData = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_DISCARDED_BYTES) finish(false);
      else idle.refresh();
    };
    const onEnd = () => finish(true);
    const onGone = () => finish(false);
    function finish(isWhole: boolean): void {
      clearTimeout(deadline);
      clearTimeout(idle);
      request.off('data', onData).off('end', onEnd).off('close', onGone).off('error', onGone);
      request.pause();
      resolve(isWhole);
    }
    request.on('data', onData).on('end', onEnd).on('close', onGone).on('error', onGone).resume();
  });
}

export type BodyLimits = {
  /** For a caller who has not authenticated. */
  readonly unauthenticatedMs: number;
  readonly authenticatedMs: number;
  /** The longest time without progress. */
  readonly idleMs: number;
};

/** The largest body of most routes. */
const USUAL_BYTES = 14 * 1024 * 1024;

/** A route with larger bodies, such as an upload, gives them more time. */
export const timeFor = (usualMs: number, maxBytes = 0): number => usualMs * Math.max(1, maxBytes / USUAL_BYTES);

/** Closes a connection whose body takes too long to arrive. */
export function boundBodyTime(app: FastifyInstance, { unauthenticatedMs, authenticatedMs, idleMs }: BodyLimits): void {
  app.addHook('preParsing', async (request, reply, payload) => {
    const { raw } = request;
    if (raw.complete) return payload;
    const { socket } = raw;
    const giveUp = () => {
      socket.write('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      socket.destroySoon();
    };
    const longest = timeFor(authenticatedMs, request.routeOptions.bodyLimit);
    const deadline = setTimeout(giveUp, isUnauthenticated(request) ? unauthenticatedMs : longest);
    let seen = socket.bytesRead;
    const idle = setInterval(() => {
      if (socket.bytesRead === seen) giveUp();
      seen = socket.bytesRead;
    }, idleMs);
    const stop = () => {
      clearTimeout(deadline);
      clearInterval(idle);
    };
    raw.once('end', stop).once('close', stop);
    reply.raw.once('finish', stop);
    return payload;
  });
}
