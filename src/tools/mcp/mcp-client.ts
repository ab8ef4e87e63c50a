import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/client';
import type { McpDiscovery, McpOffers, McpServer } from '#domain/tool/mcp-server.ts';
import type { ToolContext } from '../tool.ts';
import { type CleanTools, cleanTools } from './clean-tools.ts';
import { McpFailure } from './mcp-failure.ts';
import type { McpEndpoint } from './mcp-fetch.ts';
import { listOffers } from './offers/server-offers.ts';
import { showProgress } from './progress.ts';
import { createCallQuestions, type InputRequest, withQuestions } from './questions/call-questions.ts';
import { type McpNetwork, priorOf, withClient } from './with-client.ts';

export type McpTools = CleanTools & {
  readonly discovery: McpDiscovery;
  readonly offers: McpOffers;
  readonly refreshInMs: number;
};

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
      offers: await listOffers(client, options),
      refreshInMs: Math.min(OLDEST_MS, Math.max(FRESHEST_MS, wanted)),
    };
  });
}

/**
 * Calls a tool. Throws `McpFailure`, and `InputRequired` if the server asks a person first; errors that the tool itself
 * reports are results.
 */
export function callMcpTool(
  network: McpNetwork,
  server: McpEndpoint & Pick<McpServer, 'discovery'>,
  call: { readonly name: string; readonly arguments: Record<string, unknown> },
  { signal, answered, onProgress }: Pick<ToolContext, 'signal' | 'answered' | 'onProgress'>,
): Promise<CallToolResult> {
  const prior = priorOf(server.discovery);
  const questions = createCallQuestions(answered);
  const limits = { timeoutMs: network.callMs ?? CALL_MS, signal, prior };
  return withClient(network, server, limits, (client, options) =>
    withQuestions(client, questions, async () => {
      const more = {
        ...options,
        allowInputRequired: true,
        ...(onProgress && { onprogress: showProgress(onProgress) }),
      };
      let input = questions.resume();
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const result: CallToolResult | InputRequiredResult = await client
          .callTool({ ...call, ...input }, more)
          .catch((error: unknown) => {
            throw questions.explain(error);
          });
        if (!isInputRequired(result)) return result;
        input = questions.answerResult(result as InputRequest);
      }
      throw new McpFailure('refused', 'The server keeps asking for more before it answers.');
    }),
  );
}

const MAX_ROUNDS = 10;

const isInputRequired = (result: object): boolean => 'resultType' in result && result.resultType === 'input_required';

const isSmall = (value: unknown) => JSON.stringify(value).length <= 16 * 1024;
