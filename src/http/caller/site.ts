import type { FastifyRequest } from 'fastify';

/** How people reach this server. Without an address of its own, each request tells. */
export type Site = { readonly publicUrl: string | undefined };

/** Such as `https://agent.example.com`. Behind a proxy the scheme and host are those it tells, if it is trusted. */
export function originOf(request: FastifyRequest, { publicUrl }: Site): string {
  return publicUrl === undefined ? `${request.protocol}://${request.host}` : new URL(publicUrl).origin;
}

/** The address of a path of ours, as a browser sees it. */
export function addressOf(request: FastifyRequest, site: Site, path: string): string {
  return (site.publicUrl ?? originOf(request, site)) + path;
}

export function isHttps(request: FastifyRequest, site: Site): boolean {
  return originOf(request, site).startsWith('https:');
}
