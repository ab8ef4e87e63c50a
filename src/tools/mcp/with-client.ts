import { setTimeout as delay } from 'node:timers/promises';
import type { Client, DiscoverResult, PriorDiscovery } from '@modelcontextprotocol/client';
import type { McpDiscovery, McpServer } from '#domain/tool/mcp-server.ts';
import type { Egress } from '#egress/egress.ts';
import { InputRequired } from '../tool.ts';
import { clientOptions } from './client-options.ts';
import type { LocalServers } from './local/local-servers.ts';
import { McpFailure, toMcpFailure } from './mcp-failure.ts';
import { createMcpFetch, type McpEndpoint, type McpProgram } from './mcp-fetch.ts';

export type McpNetwork = {
  readonly egress: Pick<Egress, 'send'>;
  /** Of this program, for the server's log. */
  readonly version: string;
  /** For a call, and for listing all tools. */
  readonly callMs?: number;
  readonly listMs?: number;
  /** Undefined where the operator has not allowed programs. */
  readonly local?: LocalServers | undefined;
};

type Limits = {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly prior?: PriorDiscovery | undefined;
};
export type RequestLimits = {
  readonly timeout: number;
  readonly maxTotalTimeout: number;
  readonly signal: AbortSignal;
};

/** A client for one operation. Nothing of it outlives the operation, so any replica can make the next one. */
export async function withClient<T>(
  network: McpNetwork,
  endpoint: McpEndpoint,
  { timeoutMs, signal: cancelled, prior }: Limits,
  act: (client: Client, options: RequestLimits) => Promise<T>,
): Promise<T> {
  if (endpoint.program) return withProgram(network, endpoint, endpoint.program, { timeoutMs, signal: cancelled }, act);
  const { Client: ProtocolClient, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const http = createMcpFetch(endpoint, { egress: network.egress, timeoutMs: timeoutMs + GRACE_MS });
  const late = AbortSignal.timeout(timeoutMs);
  const signal = cancelled ? AbortSignal.any([cancelled, late]) : late;
  const options = { timeout: timeoutMs, maxTotalTimeout: timeoutMs, signal };
  const client = new ProtocolClient({ name: 'reborn', version: network.version }, clientOptions());
  const transport = new StreamableHTTPClientTransport(new URL(endpoint.url), {
    fetch: (url, init) => http.fetch(url, init),
  });
  try {
    const work = async () => {
      await client.connect(transport, prior ? { ...options, prior } : options);
      return act(client, options);
    };
    return await Promise.race([work(), http.broken]);
  } catch (error) {
    cancelled?.throwIfAborted();
    if (error instanceof InputRequired) throw error;
    if (late.aborted)
      throw new McpFailure('unreachable', `The server did not answer within ${timeoutMs / 1000} seconds.`);
    throw toMcpFailure(error, timeoutMs);
  } finally {
    // Servers of the old protocol learn of a cancelled call by a message, and hold a session until it is ended.
    const ended = signal.aborted ? http.notified() : endSession(transport);
    await Promise.race([ended.catch(() => {}), delay(GRACE_MS, undefined, { ref: false })]);
    await client.close().catch(() => {});
  }
}

/** A server that runs as a program keeps its connection. */
async function withProgram<T>(
  { local }: McpNetwork,
  { headers: env }: McpEndpoint,
  { key, command }: McpProgram,
  { timeoutMs, signal: cancelled }: Limits,
  act: (client: Client, options: RequestLimits) => Promise<T>,
): Promise<T> {
  if (!local)
    throw new McpFailure(
      'refused',
      'Programs are not allowed as MCP servers here. Set MCP_LOCAL_SERVERS to true, and restart the service if it runs.',
    );
  const client = await local.connect({ key, command, env });
  const late = AbortSignal.timeout(timeoutMs);
  const signal = cancelled ? AbortSignal.any([cancelled, late]) : late;
  try {
    const result = await act(client, { timeout: timeoutMs, maxTotalTimeout: timeoutMs, signal });
    local.succeeded(key);
    return result;
  } catch (error) {
    cancelled?.throwIfAborted();
    if (error instanceof InputRequired) throw error;
    if (late.aborted)
      throw new McpFailure('unreachable', `The server did not answer within ${timeoutMs / 1000} seconds.`);
    throw toMcpFailure(error, timeoutMs);
  }
}

const GRACE_MS = 1000;

async function endSession(transport: { readonly sessionId?: string | undefined; terminateSession(): Promise<void> }) {
  if (transport.sessionId !== undefined) await transport.terminateSession();
}

/** How the process of a server is named on each replica. */
export function programOf({ id, command }: Pick<McpServer, 'id' | 'command'>): McpProgram | undefined {
  return command === null ? undefined : { key: id, command };
}

export function priorOf({ version, discover }: McpDiscovery): PriorDiscovery | undefined {
  if (discover !== null) return { kind: 'modern', discover: discover as DiscoverResult };
  return version === '' ? undefined : { kind: 'legacy' };
}
