import { FOREIGN_AND_PRIVATE } from '#domain/thread/origin.ts';
import { isReviewed, type McpServer, type McpTool } from '#domain/tool/mcp-server.ts';
import { paramsProblem } from '../params-problem.ts';
import type { Tool } from '../tool.ts';
import { callServer, type McpHost, parseObject, serverFields } from './call-server.ts';
import { offeredName } from './clean-tools.ts';
import { callMcpTool } from './mcp-client.ts';
import { renderError, renderResult } from './render-result.ts';

/** A tool of an MCP server as a tool of the agent. The server's annotations count if they were reviewed and the operator trusts it. */
export function createMcpTool(server: McpServer, tool: McpTool, host: McpHost): Tool {
  const name = offeredName(server.name, tool.name);
  const rights = mcpRights(server, tool);
  return {
    definition: { name, ...(rights.unreviewed ? undescribed(server, tool) : described(tool)), strict: null },
    ...rights,
    revision: tool.digest,
    asks: true,
    ...(tool.title !== undefined && !rights.unreviewed && { title: tool.title }),
    ...serverFields(server, host),
    async call(argumentsJson, context) {
      const problem = paramsProblem(argumentsJson);
      const given = problem === undefined ? parseObject(argumentsJson) : undefined;
      if (!given) return renderError(problem ?? 'The arguments must be a JSON object.');
      const asked = { name: tool.name, arguments: given };
      return callServer(server, name, host, context, async (endpoint) =>
        renderResult(await callMcpTool(host, endpoint, asked, context), context.onFile),
      );
    },
  };
}

/** What a tool may do without a question. A server's annotations count only if the operator trusts it. */
export function mcpRights(
  server: Pick<McpServer, 'accepted' | 'trustAnnotations'>,
  tool: McpTool,
): Pick<Tool, 'repeatable' | 'level' | 'flow' | 'unreviewed'> {
  const reviewed = isReviewed(server, tool);
  const believed = reviewed && server.trustAnnotations;
  const reads = believed && tool.readOnly;
  return {
    repeatable: reads || (believed && tool.idempotent),
    level: reads ? 'allow' : 'ask',
    flow: { reads: FOREIGN_AND_PRIVATE, from: 'server', runs: reads ? 'always' : 'clean' },
    ...(!reviewed && { unreviewed: true as const }),
  };
}

type Described = Pick<Tool['definition'], 'description' | 'parameters'>;

const described = ({ description, parameters }: McpTool): Described => ({
  description: description || null,
  parameters,
});

/** All texts of a version are foreign and stand in every prompt, so until a person has reviewed it the model gets its name alone. */
function undescribed({ accepted }: McpServer, { name }: McpTool): Described {
  const word = accepted.some((known) => known.name === name) ? 'Changed' : 'New';
  return { description: `${word}, not reviewed. ${UNTIL_THEN}`, parameters: { type: 'object', properties: {} } };
}

const UNTIL_THEN =
  'Its description and parameters are shown once a person has reviewed it: tell the user if you need it.';
