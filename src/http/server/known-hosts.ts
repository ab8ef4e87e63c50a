import { isIP } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { Forbidden } from '#domain/errors.ts';
import { answerError } from '../routes/errors.ts';

export type HostNames = {
  /** Where the server listens. */
  readonly bindHost: string;
  /** Names of the service besides those that everybody may use: of PUBLIC_URL, of the machine, and configured ones. */
  readonly names: readonly string[];
};

/** Probes come under any name, and learn nothing. */
const PROBES = ['/healthz', '/readyz'];

/**
 * Refuses requests under a name that is not ours. A page of an attacker can make its own name point to this machine (DNS
 * rebinding), and then counts as the same origin to the browser; but the browser still sends that name as `Host`. What a proxy says
 * about the host doesn't count: a page can set such headers itself.
 */
export function requireKnownHost(app: FastifyInstance, hosts: HostNames): void {
  app.addHook('onRequest', async (request, reply) => {
    const { authorization, host } = request.headers;
    if (host === undefined || PROBES.includes(request.routeOptions.url ?? '')) return;
    // Who has a token to send is no such page. On this machine alone there is no reason for other names either way.
    if (authorization !== undefined && !isLoopback(hosts.bindHost)) return;
    // Not thrown: an error in a request for a WebSocket ends the connection without an answer.
    if (!isKnownHost(host, hosts)) return answerError(unknownHost(host), request, reply);
  });
}

function unknownHost(host: string): Forbidden {
  const name = JSON.stringify(host.slice(0, 100));
  return new Forbidden(
    'unknown_host',
    `This service does not go by the name ${name}. If it should, set PUBLIC_URL to its address, or add the name to GATEWAY_ALLOWED_HOSTS.`,
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

/** Nobody can register such a name, so only the local network can say where it points. */
function isPrivateName(host: string): boolean {
  return !host.includes('.') || /\.(?:local|lan|home|corp|internal|intranet|private|home\.arpa)$/.test(host);
}
