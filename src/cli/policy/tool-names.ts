import path from 'node:path';
import type { ToolRights } from '#agent/gates/asks-after-others.ts';
import { createMissions } from '#agent/missions/missions.ts';
import type { Config } from '#config/config.ts';
import { connectEngine } from '#engine/engine-connection.ts';
import { createMemory } from '#memory/memory.ts';
import type { Database } from '#store/connection.ts';
import { listAllMcpServers, type OfferingServer } from '#store/system/mcp-servers.ts';
import type { SystemConnection } from '#store/system/system-connection.ts';
import { listTools } from '#store/tools/tools.ts';
import { memoryTools } from '#tools/builtin/memory-tools.ts';
import { missionTools } from '#tools/builtin/mission-tools.ts';
import { componentRights } from '#tools/component/component-tool.ts';
import { offeredName } from '#tools/mcp/clean-tools.ts';
import { mcpRights } from '#tools/mcp/mcp-tool.ts';
import { RESOURCES, resourceRights } from '#tools/mcp/offers/resource-tool.ts';
import { builtinTools } from '#tools/registry.ts';
import { TOOL_SEARCH } from '#tools/search/deferred-tools.ts';
import { createSkills } from '#tools/skills/skills.ts';
import type { OpenedDatabase } from '../connect/with-database.ts';

export type KnownTool = ToolRights & { readonly name: string };

/** The names of all tools: built in, installed, and of every user's MCP servers. */
export async function listToolNames(opened: OpenedDatabase): Promise<string[]> {
  return [TOOL_SEARCH, ...(await listKnownTools(opened)).map(({ name }) => name)];
}

export async function listKnownTools({ config, db, connection }: OpenedDatabase): Promise<KnownTool[]> {
  const system = connectEngine({ ...connection, max: 1 }, () => {}); // a cut line fails the query, which reports it
  try {
    return await readKnownTools(config, db, system);
  } finally {
    await system.end();
  }
}

/** All tools besides the search, and what they may do without a question. Nothing is connected to. */
export async function readKnownTools(config: Config, db: Database, system: SystemConnection): Promise<KnownTool[]> {
  const noEgress = { send: () => Promise.reject(new Error('No tool is called here.')) };
  const skills = createSkills(db, path.join(config.home, 'skills'), () => {});
  const fixed = [
    ...builtinTools(noEgress, skills),
    ...memoryTools(createMemory(db)),
    ...missionTools(createMissions(db)),
  ];
  return [
    ...fixed.map(({ definition: { name }, ...tool }) => ({ ...tool, name })),
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

/** The known name that was most likely meant; undefined when none is similar. */
export function findNearName(given: string, names: readonly string[]): string | undefined {
  const most = Math.max(1, Math.floor(given.length / 3));
  const near = names.map((name) => ({ name, distance: distanceOf(given.toLowerCase(), name.toLowerCase()) }));
  return near.filter(({ distance }) => distance <= most).toSorted((one, other) => one.distance - other.distance)[0]
    ?.name;
}

/** How many letters must be added, removed or replaced (Levenshtein). */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let at = 0; at < one.length; at++) {
    const next = [at + 1];
    for (let column = 1; column < row.length; column++) {
      const replaced = (row[column - 1] ?? 0) + (one[at] === other[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
