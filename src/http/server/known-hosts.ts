import { isIP } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { Forbidden } from '#domain/errors.ts';
import { answerError } from '../routes/errors.ts';

export type HostNames = {
  /** The interface that the server listens on. */
  readonly bindHost: string;
  /** Further names of the service: from PUBLIC_URL, of the machine, and configured ones. */
  readonly names: readonly string[];
};

/** Probes may use any name, because their answers reveal nothing. */
const PROBES = ['/healthz', '/readyz'];

/**
 * Refuses requests under a foreign name. An attacker's page can point its own name to this machine (DNS rebinding), and the
 * browser then treats it as the same origin; but the browser still sends that name as `Host`. Proxy headers about the host
 * don't count, because a page can set them itself.
 */
export function requireKnownHost(app: FastifyInstance, hosts: HostNames): void {
  app.addHook('onRequest', async (request, reply) => {
    const { authorization, host } = request.headers;
    if (host === undefined || PROBES.includes(request.routeOptions.url ?? '')) return;
    // A caller with a token is not such a page. A server that listens only locally has no other names in any case.
    if (authorization !== undefined && !isLoopback(hosts.bindHost)) return;
    // Not thrown: an error in a WebSocket upgrade would end the connection without an answer.
    if (!isKnownHost(host, hosts)) return answerError(unknownHost(host), request, reply);
  });
}

function unknownHost(host: string): Forbidden {
  const name = JSON.stringify(host.slice(0, 100));
  return new Forbidden(
    'unknown_host',
    `Unknown host name ${name}. To serve it, set PUBLIC_URL to its address, or add the name to GATEWAY_ALLOWED_HOSTS.`,
  );
}

/** Whether a `Host` header names this service. */
export function isKnownHost(header: string, { bindHost, names }: HostNames): boolean {
  const host = /^[\w.:[\]-]+$/.test(header) && URL.parse(`http://${header}`)?.hostname.replace(/\.$/, '');
  if (!host) return false;
  if (isLoopback(host) || [bindHost, ...names].some((name) => name.toLowerCase() === host)) return true;
  return !isLoopback(bindHost) && (isAddress(host) || isPrivateName(host));
}

const isAddress = (host: string) => isIP(host.replace(/^\[(.*)\]$/, '$1')) !== 0;

function isLoopback(host: string): boolean {
  return /^(?:localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/.test(host);
}

/** Such names can't be registered publicly, so only the local network decides where they point. */
function isPrivateName(host: string): boolean {
  return !host.includes('.') || /\.(?:local|lan|home|corp|internal|intranet|private|home\.arpa)$/.test(host);
}
