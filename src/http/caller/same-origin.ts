import type { FastifyRequest } from 'fastify';
import { Forbidden } from '#domain/errors.ts';
import { originOf, type Site } from './site.ts';

const HARMLESS = ['GET', 'HEAD', 'OPTIONS'];

/** `none`: the person did it, without any page. */
const OURS = ['same-origin', 'none'];

/**
 * A browser sends its cookie along whoever made it ask. So what changes something, or opens a WebSocket, must come from
 * a page of ours; what does not say where it comes from is not believed.
 */
export function requireSameOrigin(request: FastifyRequest, site: Site): void {
  const isUpgrade = request.headers.upgrade !== undefined;
  if (HARMLESS.includes(request.method) && !isUpgrade) return;

  const from = request.headers['sec-fetch-site'];
  const isOurs = from === undefined ? request.headers.origin === originOf(request, site) : OURS.includes(from);
  if (!isOurs)
    throw new Forbidden('cross_site', 'This came from another site. Ask from our own pages, or with a bearer token.');
}
