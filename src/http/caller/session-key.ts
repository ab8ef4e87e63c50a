import type { FastifyRequest } from 'fastify';

/**
 * Where a browser puts the key of its session. A cookie goes to every port of its host; the key is kept by pages of one
 * origin only, so another server on the same host can't use the cookie it is sent.
 */
const HEADER = 'x-session-key';

/** A browser can't set headers on a WebSocket, so there the key is one of the protocols it offers. */
const PROTOCOL = /(?:^|,)\s*reborn\.key\.([\w-]+)\s*(?:,|$)/;

export function readSessionKey({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const given = headers[HEADER];
  if (typeof given === 'string') return given;
  return headers.upgrade === undefined ? undefined : PROTOCOL.exec(headers['sec-websocket-protocol'] ?? '')?.[1];
}
