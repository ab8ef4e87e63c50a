import type { Database } from '#store/connection.ts';
import { listAllMcpServers, type OfferingServer } from '#store/system/mcp-servers.ts';
import type { SystemConnection } from '#store/system/system-connection.ts';
import { listTools } from '#store/tools/tools.ts';
import { CODE_TOOLS } from '#tools/builtin/code/code-tools.ts';
import { componentRights } from '#tools/component/component-tool.ts';
import { offeredName } from '#tools/mcp/clean-tools.ts';
import { mcpRights } from '#tools/mcp/mcp-tool.ts';
import { RESOURCES, resourceRights } from '#tools/mcp/offers/resource-tool.ts';
import type { Tool } from '#tools/tool.ts';
import type { ToolRights } from './asks-after-others.ts';

export type KnownTool = ToolRights & { readonly name: string };

/**
 * All tools besides the search, and what they may do without a question: `fixed` ones, those that run code even if none can run
 * now, installed ones, and those of every user's MCP servers. Nothing is connected to.
 */
export async function readKnownTools(
  fixed: readonly Tool[],
  db: Database,
  system: SystemConnection,
): Promise<KnownTool[]> {
  return [
    ...fixed.map(({ definition: { name }, ...tool }) => ({ ...tool, name })),
    ...CODE_TOOLS,
    ...(await listTools(db)).map((row) => ({ name: row.name, ...componentRights(row) })),
    ...(await listAllMcpServers(system)).flatMap(toolsOf),
  ];
}

function toolsOf(server: OfferingServer): KnownTool[] {
  return [
    ...server.tools.map((tool) => ({ name: offeredName(server.name, tool.name), ...mcpRights(server, tool) })),
    ...(server.offers.resources ? [{ name: offeredName(server.name, RESOURCES), ...resourceRights(server) }] : []),
  ];
}
