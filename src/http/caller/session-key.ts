import type { FastifyRequest } from 'fastify';

/**
 * The header with a browser's session key. A cookie is sent to every port of its host, but only pages of one origin have
 * the key, so another server on the same host can't use a cookie it receives.
 */
const HEADER = 'x-session-key';

/** A browser can't set headers on a WebSocket, so there the key is one of the offered protocols. */
const PROTOCOL = /(?:^|,)\s*reborn\.key\.([\w-]+)\s*(?:,|$)/;

export function readSessionKey({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const given = headers[HEADER];
  if (typeof given === 'string') return given;
  return headers.upgrade === undefined ? undefined : PROTOCOL.exec(headers['sec-websocket-protocol'] ?? '')?.[1];
}
