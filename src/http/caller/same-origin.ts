import type { FastifyRequest } from 'fastify';
import { Forbidden } from '#domain/errors.ts';
import { originOf, type Site } from './site.ts';

const HARMLESS = ['GET', 'HEAD', 'OPTIONS'];

/** `none`: the person acted directly, not through a page. */
const OURS = ['same-origin', 'none'];

/**
 * A browser sends its cookie with requests of any page. So a request that changes something, or opens a WebSocket, must
 * come from a page of this service; a request without an origin is refused.
 */
export function requireSameOrigin(request: FastifyRequest, site: Site): void {
  const isUpgrade = request.headers.upgrade !== undefined;
  if (HARMLESS.includes(request.method) && !isUpgrade) return;

  const from = request.headers['sec-fetch-site'];
  const isOurs = from === undefined ? request.headers.origin === originOf(request, site) : OURS.includes(from);
  if (!isOurs)
    throw new Forbidden(
      'cross_site',
      'The request came from another site. Send it from a page of this service, or with a bearer token.',
    );
}
