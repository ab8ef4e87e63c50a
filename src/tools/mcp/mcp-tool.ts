import { isReviewed, type McpServer, type McpTool } from '#domain/tool/mcp-server.ts';
import type { RateLimit, RateUse } from '#store/spending/rate-windows.ts';
import { paramsProblem } from '../params-problem.ts';
import { SignInRequired, type Tool, type ToolContext } from '../tool.ts';
import { offeredName } from './clean-tools.ts';
import { callMcpTool, type McpNetwork, programOf } from './mcp-client.ts';
import { McpFailure } from './mcp-failure.ts';
import type { McpTokens } from './mcp-fetch.ts';
import { renderError, renderResult } from './render-result.ts';
import type { Rests } from './rests.ts';
import type { ServerHeaders } from './server-headers.ts';
import { type ServerTokens, tokenName } from './server-tokens.ts';

export type McpHost = McpNetwork & {
  readonly headers: ServerHeaders;
  readonly tokens: Pick<ServerTokens, 'of' | 'needsSignIn' | 'discover'>;
  readonly rests: Rests;
  readonly takeUse: (key: string, limit: RateLimit) => Promise<RateUse>;
  /** Secrets were read for a call. */
  readonly onSecretsUsed: (context: ToolContext, toolName: string, names: readonly string[]) => Promise<void>;
};

/** Calls of one user to one server. */
const RATE: RateLimit = { limit: 120, windowSeconds: 60 };

/** A tool of an MCP server as a tool of the agent. What the server says about it counts only as far as it was reviewed. */
export function createMcpTool(server: McpServer, tool: McpTool, host: McpHost): Tool {
  const name = offeredName(server.name, tool.name);
  const reviewed = isReviewed(server, tool);
  const { description, parameters, digest, readOnly, idempotent } = tool;
  return {
    definition: { name, description: description || null, parameters, strict: null },
    repeatable: reviewed && server.trustAnnotations && (readOnly || idempotent),
    level: reviewed && readOnly ? 'allow' : 'ask',
    revision: digest,
    server: server.name,
    ...(!reviewed && { unreviewed: true as const }),
    ...(server.oauth && { needsSignIn: (secretsOf) => host.tokens.needsSignIn(server, secretsOf) }),
    restLeft: () => Math.max(host.rests.left(server.id), host.local?.restLeft(server.id) ?? 0),
    async call(argumentsJson, context) {
      const problem = paramsProblem(argumentsJson);
      const given = problem === undefined ? parseObject(argumentsJson) : undefined;
      if (!given) return renderError(problem ?? 'The arguments must be a JSON object.');
      return callServer(server, { offered: name, name: tool.name, arguments: given }, host, context);
    },
  };
}

type Call = { readonly offered: string; readonly name: string; readonly arguments: Record<string, unknown> };

async function callServer(server: McpServer, call: Call, host: McpHost, context: ToolContext): Promise<string> {
  const rest = host.rests.left(server.id);
  if (rest > 0)
    return renderError(`${server.name} failed several times. It is not called for ${Math.ceil(rest / 1000)} seconds.`);
  const use = await host.takeUse(`mcp:${server.id}:${context.owner.userId}`, RATE);
  if (!use.isAllowed)
    return renderError(`${server.name} was called too often. Try again in ${use.retryInSeconds} seconds.`);

  const { headers, names: headerNames } = await host.headers.read(server);
  const { tokens, hide } = watchTokens(host.tokens.of(server, context.secretsOf));
  const names = server.oauth ? [...headerNames, tokenName(server.id)] : headerNames;
  if (names.length > 0) await host.onSecretsUsed(context, call.offered, names);
  try {
    const asked = { name: call.name, arguments: call.arguments };
    const result = await callMcpTool(
      host,
      { ...server, headers, tokens, program: programOf(server) },
      asked,
      context.signal,
    );
    host.rests.succeeded(server.id);
    return hide(renderResult(result));
  } catch (error) {
    if (!(error instanceof McpFailure)) throw error;
    if (error.reason === 'sign-in' && server.oauth) throw new SignInRequired(error.message);
    if (error.reason === 'unreachable') host.rests.failed(server.id);
    return hide(renderError(error.message));
  }
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

function parseObject(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json.trim() || '{}');
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
