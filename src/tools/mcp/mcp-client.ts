import { setTimeout as delay } from 'node:timers/promises';
import type {
  CallToolResult,
  Client,
  ClientOptions,
  DiscoverResult,
  PriorDiscovery,
} from '@modelcontextprotocol/client';
import type { McpDiscovery, McpServer } from '#domain/tool/mcp-server.ts';
import type { Egress } from '#egress/egress.ts';
import { type CleanTools, cleanTools } from './clean-tools.ts';
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

export type McpTools = CleanTools & { readonly discovery: McpDiscovery; readonly refreshInMs: number };

const CALL_MS = 60_000;
const LIST_MS = 20_000;

/** How long a stored discovery counts. A server that spoke the old protocol may have been upgraded. */
const FRESHEST_MS = 60_000;
const OLDEST_MS = 60 * 60_000;
const USUAL_MS = 5 * 60_000;

/** Asks the server which protocol it speaks and which tools it has. Throws `McpFailure`. */
export function listMcpTools(
  network: McpNetwork,
  server: McpEndpoint & { readonly name: string },
  secrets: readonly string[],
  signal?: AbortSignal,
): Promise<McpTools> {
  return withClient(network, server, { timeoutMs: network.listMs ?? LIST_MS, signal }, async (client, options) => {
    const listed = await client.listTools(undefined, { ...options, cacheMode: 'bypass' });
    const version = client.getNegotiatedProtocolVersion() ?? '';
    const discover = client.getProtocolEra() === 'modern' ? (client.getDiscoverResult() ?? null) : null;
    const { ttlMs } = listed as { ttlMs?: unknown };
    const wanted = typeof ttlMs === 'number' && ttlMs > 0 ? ttlMs : USUAL_MS;
    return {
      ...cleanTools(listed.tools, { server: server.name, url: server.url, secrets }),
      discovery: { version, discover: isSmall(discover) ? discover : null },
      refreshInMs: Math.min(OLDEST_MS, Math.max(FRESHEST_MS, wanted)),
    };
  });
}

/** How the process of a server is named on each replica. */
export function programOf({ id, command }: Pick<McpServer, 'id' | 'command'>): McpProgram | undefined {
  return command === null ? undefined : { key: id, command };
}

/** Calls a tool once. Throws `McpFailure`; errors that the tool itself reports are results. */
export function callMcpTool(
  network: McpNetwork,
  server: McpEndpoint & Pick<McpServer, 'discovery'>,
  call: { readonly name: string; readonly arguments: Record<string, unknown> },
  signal: AbortSignal,
): Promise<CallToolResult> {
  const prior = priorOf(server.discovery);
  return withClient(network, server, { timeoutMs: network.callMs ?? CALL_MS, signal, prior }, (client, options) =>
    client.callTool(call, options),
  );
}

function priorOf({ version, discover }: McpDiscovery): PriorDiscovery | undefined {
  if (discover !== null) return { kind: 'modern', discover: discover as DiscoverResult };
  return version === '' ? undefined : { kind: 'legacy' };
}

const isSmall = (value: unknown) => JSON.stringify(value).length <= 16 * 1024;

/** Schemas of a server are never compiled: a hostile pattern would block the process. */
export const CLIENT_OPTIONS: ClientOptions = {
  versionNegotiation: { mode: 'auto' },
  capabilities: {},
  inputRequired: { autoFulfill: false },
  listMaxPages: 20,
  jsonSchemaValidator: {
    getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
  },
};

type Limits = {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly prior?: PriorDiscovery | undefined;
};
type RequestLimits = { readonly timeout: number; readonly maxTotalTimeout: number; readonly signal: AbortSignal };

/** A client for one operation. Nothing of it outlives the operation, so any replica can make the next one. */
async function withClient<T>(
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
  const client = new ProtocolClient({ name: 'reborn', version: network.version }, CLIENT_OPTIONS);
  const transport = new StreamableHTTPClientTransport(new URL(endpoint.url), {
    fetch: (url, init) => http.fetch(url, init),
  });
  try {
    await client.connect(transport, prior ? { ...options, prior } : options);
    return await act(client, options);
  } catch (error) {
    cancelled?.throwIfAborted();
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
    throw new McpFailure('refused', 'Programs are not allowed as MCP servers here. Set MCP_LOCAL_SERVERS to true.');
  const client = await local.connect({ key, command, env });
  const late = AbortSignal.timeout(timeoutMs);
  const signal = cancelled ? AbortSignal.any([cancelled, late]) : late;
  try {
    const result = await act(client, { timeout: timeoutMs, maxTotalTimeout: timeoutMs, signal });
    local.succeeded(key);
    return result;
  } catch (error) {
    cancelled?.throwIfAborted();
    if (late.aborted)
      throw new McpFailure('unreachable', `The server did not answer within ${timeoutMs / 1000} seconds.`);
    throw toMcpFailure(error, timeoutMs);
  }
}

const GRACE_MS = 1000;

async function endSession(transport: { readonly sessionId?: string | undefined; terminateSession(): Promise<void> }) {
  if (transport.sessionId !== undefined) await transport.terminateSession();
}
