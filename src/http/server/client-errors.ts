import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionError } from 'fastify';
import { newId } from '#domain/ids.ts';
import { envelope } from '../routes/errors.ts';

/** Answers what is not a request that can be handled. The rest of the connection can't be read, so it is closed. */
export function answerClientError({ code }: ConnectionError, socket: Socket): void {
  if (code === 'ECONNRESET' || socket.destroyed) return;
  const [status, message] = REFUSALS[code] ?? [400, 'The request is not valid HTTP.'];
  const body = JSON.stringify(envelope('invalid_request_error', 'invalid_request', message));
  if (socket.writable)
    socket.write(
      [
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
        'Content-Type: application/json; charset=utf-8',
        `Content-Length: ${Buffer.byteLength(body)}`,
        `X-Request-Id: ${newId()}`,
        'X-Content-Type-Options: nosniff',
        'Connection: close',
        '',
        body,
      ].join('\r\n'),
    );
  socket.destroySoon();
}

const REFUSALS: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The address and the headers of a request may have 16 KiB together. Send less.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive. Send it again.'],
};
