import type { Generated, JSONColumnType } from 'kysely';
import type { McpDiscovery, McpHeader, McpOAuth, McpOffers, McpTool } from '#domain/tool/mcp-server.ts';

/** Tools, MCP servers, skills, and the secrets of tools. */
export type ToolTables = {
  tools: {
    name: string;
    hash: string;
    witVersion: string;
    description: string;
    parameters: JSONColumnType<Record<string, unknown>>;
    capabilities: JSONColumnType<Record<string, unknown>>;
    revision: string;
    readsRevision: string | null;
    installedAt: Generated<Date>;
    updatedAt: Generated<Date>;
  };
  componentFiles: { hash: string; path: string; content: Buffer };
  mcpServers: {
    id: string;
    userId: string;
    name: string;
    url: string;
    privateNetwork: boolean;
    trustAnnotations: boolean;
    headers: JSONColumnType<McpHeader[]>;
    oauth: JSONColumnType<McpOAuth> | null;
    command: JSONColumnType<string[]> | null;
    discovery: JSONColumnType<McpDiscovery>;
    offers: JSONColumnType<McpOffers>;
    tools: JSONColumnType<McpTool[]>;
    leftOut: JSONColumnType<string[]>;
    accepted: JSONColumnType<McpTool[]>;
    problem: string | null;
    failures: Generated<number>;
    listedAt: Generated<Date>;
    refreshAt: Date;
    createdAt: Generated<Date>;
  };
  mcpVersion: { one: Generated<boolean>; changedAt: Generated<Date> };
  secrets: {
    userId: string;
    name: string;
    ciphertext: Buffer;
    keyId: string;
    createdAt: Generated<Date>;
    updatedAt: Generated<Date>;
    expiresAt: Date | null;
  };
  skills: {
    userId: string;
    name: string;
    description: string;
    files: JSONColumnType<Record<string, string>>;
    createdAt: Generated<Date>;
    updatedAt: Generated<Date>;
  };
};
