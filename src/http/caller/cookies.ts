import type { FastifyReply, FastifyRequest } from 'fastify';
import { isHttps, type Site } from './site.ts';

export type CookieOptions = { readonly sameSite: 'Strict' | 'Lax'; readonly seconds: number };

/** Under https the `__Host-` prefix prevents other hosts and plain connections from setting the cookie. */
const nameOf = (name: string, https: boolean) => (https ? `__Host-${name}` : name);

export function readCookie(request: FastifyRequest, site: Site, name: string): string | undefined {
  const wanted = nameOf(name, isHttps(request, site));
  const found = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='));
  return found.find(([key]) => key === wanted)?.[1];
}

export function setCookie(reply: FastifyReply, site: Site, name: string, value: string, options: CookieOptions): void {
  const https = isHttps(reply.request, site);
  const parts = [
    `${nameOf(name, https)}=${value}`,
    'Path=/',
    'HttpOnly',
    `SameSite=${options.sameSite}`,
    `Max-Age=${options.seconds}`,
    ...(https ? ['Secure'] : []),
  ];
  reply.header('set-cookie', parts.join('; '));
}

export function clearCookie(reply: FastifyReply, site: Site, name: string): void {
  setCookie(reply, site, name, '', { sameSite: 'Strict', seconds: 0 });
}
