import { type Remembered, remember } from '#domain/remember.ts';
import type { Database } from '#store/connection.ts';
import { listTools, type ToolRow } from '#store/tools/tools.ts';
import type { Tool } from '../tool.ts';
import { InvalidCapabilities } from './capabilities/parse-capabilities.ts';
import { type ComponentHost, createComponentTool } from './component-tool.ts';

type Installed = { readonly row: ToolRow; readonly tool: Tool };

/** How long a change by another process can go unnoticed. */
const REMEMBER_MS = 1000;

/** The installed tools. Concurrent callers share one query. */
export function createInstalledTools(db: Database, host: ComponentHost): Remembered<readonly Tool[]> {
  let known = new Map<string, Installed>();

  async function load(): Promise<readonly Tool[]> {
    const rows = await listTools(db);
    const next = new Map(rows.flatMap((row) => renew(row).map((installed) => [row.name, installed])));
    for (const { row } of known.values())
      if (next.get(row.name)?.row.revision !== row.revision) await host.jails.forget(row.name);
    known = next;
    return [...next.values()].map(({ tool }) => tool);
  }

  /** A tool that this version can't run is left out; another version has installed it. */
  function renew(row: ToolRow): Installed[] {
    const present = known.get(row.name);
    if (present?.row.revision === row.revision) return [present];
    try {
      return [{ row, tool: createComponentTool(row, host) }];
    } catch (error) {
      if (!(error instanceof InvalidCapabilities)) throw error;
      host.onLog(row.name, { level: 'warn', message: `The tool is left out. ${error.message}` });
      return [];
    }
  }

  return remember(REMEMBER_MS, load);
}
