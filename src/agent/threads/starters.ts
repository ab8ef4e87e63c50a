import type { Principal } from '#domain/principal.ts';
import type { ToolRegistry } from '#tools/registry.ts';

export const STARTERS = ['approval', 'mission', 'chart', 'file', 'daily', 'topic'] as const;
export type Starter = (typeof STARTERS)[number];

/** `first`: complete messages that show what the product does. `later`: for people who know it. */
export type Starters = { readonly first: readonly Starter[]; readonly later: readonly Starter[] };

export type FindStarters = (owner: Principal) => Promise<Starters>;

/** How many there is room for. */
const SHOWN = 3;

/** Beginnings of a thread that work with what is installed. The demo model knows an answer to the first ones only. */
export const createStarters =
  (tools: Pick<ToolRegistry, 'current'>, isDemo: () => Promise<boolean>): FindStarters =>
  async (owner) => {
    const current = await tools.current(owner);
    const ifThere = (starter: Starter, tool: string): Starter[] => (current.find(tool) ? [starter] : []);
    const choose = (fitting: readonly Starter[]) => fitting.slice(0, SHOWN);
    const first = choose([
      ...ifThere('approval', 'memory_write'),
      ...ifThere('mission', 'mission_create'),
      ...ifThere('chart', 'reborn_python'),
      'file',
    ]);
    if (await isDemo()) return { first, later: first };
    const later = choose([
      'file',
      ...ifThere('daily', 'mission_create'),
      ...ifThere('topic', 'reborn_web_search'),
      ...ifThere('chart', 'reborn_python'),
      ...ifThere('approval', 'memory_write'),
    ]);
    return { first, later };
  };
