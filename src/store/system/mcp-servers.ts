import type { McpServer } from '#domain/tool/mcp-server.ts';
import type { SystemConnection } from './system-connection.ts';

/** The MCP servers of all users, with what they offer. */
export async function listAllMcpServers(system: SystemConnection): Promise<OfferingServer[]> {
  const { rows } = await system.query<OfferingServer>(
    'select name, tools, offers, accepted, trust_annotations as "trustAnnotations" from mcp_servers',
  );
  return rows;
}

export type OfferingServer = Pick<McpServer, 'name' | 'tools' | 'offers' | 'accepted' | 'trustAnnotations'>;
