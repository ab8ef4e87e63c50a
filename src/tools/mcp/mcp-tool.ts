import { FOREIGN_AND_PRIVATE } from '#domain/thread/origin.ts';
import { isReviewed, type McpServer, type McpTool } from '#domain/tool/mcp-server.ts';
import { paramsProblem } from '../params-problem.ts';
import type { Tool } from '../tool.ts';
import { callServer, type McpHost, parseObject, serverFields } from './call-server.ts';
import { offeredName } from './clean-tools.ts';
import { callMcpTool } from './mcp-client.ts';
import { lendModel } from './questions/lend-model.ts';
import { renderError, renderResult } from './render-result.ts';

/** A tool of an MCP server as a tool of the agent. What the server says about it counts if it was reviewed and the operator trusts it. */
export function createMcpTool(server: McpServer, tool: McpTool, host: McpHost): Tool {
  const name = offeredName(server.name, tool.name);
  const reviewed = isReviewed(server, tool);
  const believed = reviewed && server.trustAnnotations;
  const { description, parameters, digest, readOnly, idempotent } = tool;
  return {
    definition: { name, description: description || null, parameters, strict: null },
    repeatable: believed && (readOnly || idempotent),
    level: believed && readOnly ? 'allow' : 'ask',
    revision: digest,
    // What a server says about itself counts only if the operator believes it.
    flow: { reads: FOREIGN_AND_PRIVATE, from: 'server', runs: believed && readOnly ? 'always' : 'clean' },
    asks: true,
    ...serverFields(server, host),
    ...(!reviewed && { unreviewed: true as const }),
    async call(argumentsJson, context) {
      const problem = paramsProblem(argumentsJson);
      const given = problem === undefined ? parseObject(argumentsJson) : undefined;
      if (!given) return renderError(problem ?? 'The arguments must be a JSON object.');
      const asked = { name: tool.name, arguments: given };
      const model = lendModel(server, host.takeUse, context);
      return callServer(server, name, host, context, async (endpoint) =>
        renderResult(await callMcpTool(host, endpoint, asked, { ...context, model }), context.onFile),
      );
    },
  };
}
