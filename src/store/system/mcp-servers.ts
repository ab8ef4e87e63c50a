import type { McpServer } from '#domain/tool/mcp-server.ts';
import type { SystemConnection } from './system-connection.ts';

/** The MCP servers of all users, with what they offer. */
export async function listAllMcpServers(
  system: SystemConnection,
): Promise<Pick<McpServer, 'name' | 'tools' | 'offers'>[]> {
  const { rows } = await system.query<Pick<McpServer, 'name' | 'tools' | 'offers'>>(
    'select name, tools, offers from mcp_servers',
  );
  return rows;
}
