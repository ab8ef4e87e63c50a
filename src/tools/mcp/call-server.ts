import type { McpServer } from '#domain/tool/mcp-server.ts';
import type { RateLimit, RateUse } from '#store/spending/rate-windows.ts';
import { SignInRequired, type Tool, type ToolContext } from '../tool.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import { McpFailure } from './mcp-failure.ts';
import type { McpEndpoint, McpTokens } from './mcp-fetch.ts';
import { renderError } from './render-result.ts';
import type { ServerHeaders } from './server-headers.ts';
import { type ServerTokens, tokenName } from './server-tokens.ts';
import { type McpNetwork, programOf } from './with-client.ts';

export type McpHost = McpNetwork & {
  readonly headers: ServerHeaders;
  readonly tokens: Pick<ServerTokens, 'of' | 'needsSignIn' | 'discover'>;
  readonly breaker: CircuitBreaker;
  readonly takeUse: (key: string, limit: RateLimit) => Promise<RateUse>;
  /** Secrets were read for a call. */
  readonly onSecretsUsed: (context: ToolContext, toolName: string, names: readonly string[]) => Promise<void>;
};

/** Calls of one user to one server. */
const RATE: RateLimit = { limit: 120, windowSeconds: 60 };

export type ServerEndpoint = McpEndpoint & Pick<McpServer, 'discovery'>;

/** One operation of a user at a server: limited, with the user's keys, and with failures as output for the model. */
export async function callServer(
  server: McpServer,
  offered: string,
  host: McpHost,
  context: ToolContext,
  act: (endpoint: ServerEndpoint) => Promise<string>,
): Promise<string> {
  const openMs = host.breaker.openFor(server.id);
  if (openMs > 0)
    return renderError(
      `${server.name} failed several times. It is not called for ${Math.ceil(openMs / 1000)} seconds.`,
    );
  const use = await host.takeUse(`mcp:${server.id}:${context.owner.userId}`, RATE);
  if (!use.isAllowed)
    return renderError(`${server.name} was called too often. Try again in ${use.retryInSeconds} seconds.`);

  const { headers, names: headerNames } = await host.headers.read(server);
  const { tokens, hide } = watchTokens(host.tokens.of(server, context.secretsOf));
  const names = server.oauth ? [...headerNames, tokenName(server.id)] : headerNames;
  if (names.length > 0) await host.onSecretsUsed(context, offered, names);
  try {
    const output = await act({ ...server, headers, tokens, program: programOf(server) });
    host.breaker.succeeded(server.id);
    return hide(output);
  } catch (error) {
    if (!(error instanceof McpFailure)) throw error;
    if (error.reason === 'sign-in' && server.oauth) throw new SignInRequired(error.message);
    if (error.reason === 'unreachable') {
      host.breaker.failed(server.id);
      context.onStopped?.(error.reason);
    }
    return hide(renderError(error.message));
  }
}

/** What all tools of a server have in common. */
export function serverFields(
  server: McpServer,
  host: McpHost,
): Pick<Tool, 'server' | 'needsSignIn' | 'quarantineLeft'> {
  return {
    server: server.name,
    ...(server.oauth && { needsSignIn: (secretsOf) => host.tokens.needsSignIn(server, secretsOf) }),
    quarantineLeft: () => Math.max(host.breaker.openFor(server.id), host.local?.quarantineLeft(server.id) ?? 0),
  };
}

/** A token can change during the turn, so the search for the secrets of its start would miss it in a result. */
function watchTokens(tokens: McpTokens | undefined) {
  const given = new Set<string>();
  const remember = (token: string | undefined) => {
    if (token !== undefined) given.add(token);
    return token;
  };
  return {
    hide: (text: string) => [...given].reduce((shown, token) => shown.replaceAll(token, '[secret]'), text),
    tokens: tokens && {
      current: async () => remember(await tokens.current()),
      renew: async (refused: string) => remember(await tokens.renew(refused)),
    },
  };
}

export function parseObject(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json.trim() || '{}');
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
