import type { FastifyRequest } from 'fastify';

/** The public address of this server. If it is not set, the address is taken from each request. */
export type Site = { readonly publicUrl: string | undefined };

/** Such as `https://agent.example.com`. Behind a trusted proxy, the scheme and host are those that the proxy reports. */
export function originOf(request: FastifyRequest, { publicUrl }: Site): string {
  return publicUrl === undefined ? `${request.protocol}://${request.host}` : new URL(publicUrl).origin;
}

/** The URL of a path of this service, as a browser sees it. */
export function addressOf(request: FastifyRequest, site: Site, path: string): string {
  return (site.publicUrl ?? originOf(request, site)) + path;
}

export function isHttps(request: FastifyRequest, site: Site): boolean {
  return originOf(request, site).startsWith('https:');
}
