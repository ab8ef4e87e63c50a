import type { Extract } from '#documents/extractor.ts';
import type { ThreadId, WorkspaceId } from '#domain/ids.ts';
import type { Item } from '#domain/thread/item.ts';
import type { TurnRequest } from '#domain/thread/turn.ts';
import type { Egress } from '#egress/egress.ts';
import type { Owner } from '#store/connection.ts';
import { researchTool } from './builtin/research.ts';
import { skillListTool } from './builtin/skill-list.ts';
import { skillReadTool } from './builtin/skill-read.ts';
import { timeTool } from './builtin/time.ts';
import { limitPages } from './builtin/web/limit-pages.ts';
import { webFetchTool } from './builtin/web-fetch.ts';
import { type OpenedSearch, type SearchLimits, webSearchTool } from './builtin/web-search.ts';
import { deferTools } from './search/deferred-tools.ts';
import type { Skills } from './skills/skills.ts';
import type { Tool, ToolSet } from './tool.ts';

/** The service's tools for a user, as opposed to the caller's. Tools can be installed and removed at run time. */
export type ToolRegistry = {
  /** In a thread, a tool can do more than elsewhere. */
  current(owner: Owner, place?: ToolPlace): Promise<ToolSet>;
  /** The tools whose definitions belong in the prompt of a thread with this history. */
  defer(tools: ToolSet, history: readonly Item[], request: Pick<TurnRequest, 'stores'>): ToolSet;
};

export type ToolPlace = { readonly thread: ThreadId; readonly workspace: WorkspaceId };

export const builtinTools = (
  { egress, extract }: { readonly egress: Pick<Egress, 'send'>; readonly extract: Extract },
  skills: Pick<Skills, 'list' | 'find'>,
  web: { readonly open: () => Promise<OpenedSearch | undefined>; readonly perDay: SearchLimits } = NO_SEARCH,
): Tool[] => [
  timeTool(),
  limitPages(webFetchTool(egress, extract), web.perDay.pages),
  webSearchTool(web.open, web.perDay),
  researchTool(async () => (await web.open()) !== undefined),
  skillListTool(skills),
  skillReadTool(skills),
];

const NO_SEARCH = { open: async () => undefined, perDay: { searches: 0, pages: Number.POSITIVE_INFINITY } };

/**
 * Built-in tools, installed ones, and tools of servers. If names are equal, the first kind in this order is used, and tools of a
 * thread before all.
 */
export function createRegistry(
  fixed: readonly Tool[],
  installed: () => Promise<readonly Tool[]> = async () => [],
  ofServers: (owner: Owner) => Promise<readonly Tool[]> = async () => [],
  deferAbove = Number.POSITIVE_INFINITY,
  ofThread: (owner: Owner, place: ToolPlace) => Promise<readonly Tool[]> = async () => [],
): ToolRegistry {
  return {
    current: async (owner, place) =>
      createToolSet([
        ...(await ofServers(owner)),
        ...(await installed()),
        ...(await listOffered(fixed)),
        ...(place ? await ofThread(owner, place) : []),
      ]),
    defer: (tools, history, { stores }) => deferTools(tools, history, deferAbove, stores !== undefined),
  };
}

async function listOffered(tools: readonly Tool[]): Promise<Tool[]> {
  const offered = await Promise.all(tools.map(async (tool) => (await tool.isOffered?.()) ?? true));
  return tools.filter((_, index) => offered[index]);
}

function createToolSet(tools: readonly Tool[]): ToolSet {
  const byName = new Map(tools.map((tool) => [tool.definition.name, tool]));
  return {
    find: (name) => byName.get(name),
    definitions: () => [...byName.values()].map((tool) => tool.definition),
  };
}
