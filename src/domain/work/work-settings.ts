/**
 * How the agent works in a part of its turns: what a person sets for an assistant or a project, and what a child gets. They only
 * narrow: a turn may do what its user may do and all of its settings allow. null: no limit.
 */
export type WorkSettings = Budgets & {
  /** Instructions, which follow the identity. Only a person writes them. */
  readonly instructions: string | null;
  /** The model that answers when the request names none. */
  readonly model: string | null;
  /** The only tools that are offered and can be called. */
  readonly tools: readonly string[] | null;
  /** The only skills that are offered and can be read. */
  readonly skills: readonly string[] | null;
  readonly memory: MemoryScope;
};

/** `run`: one input, in all of its turns. `day`: midnight to midnight UTC, for each user. Each can be exceeded by one model call. */
export type Budgets = {
  readonly tokensPerRun: number | null;
  readonly tokensPerDay: number | null;
  readonly usdPerRun: number | null;
  readonly usdPerDay: number | null;
};

/**
 * `shared`: the notes of the user, as without settings. `read`: the same without writing. `own`: it also reads them, and writes only
 * below its own folder. `none`: no tools of the memory, and no identity notes.
 */
export type MemoryScope = (typeof MEMORY_SCOPES)[number];

export const MEMORY_SCOPES = ['shared', 'read', 'own', 'none'] as const;

export const NO_BUDGETS: Budgets = { tokensPerRun: null, tokensPerDay: null, usdPerRun: null, usdPerDay: null };

export const USUAL_SETTINGS: WorkSettings = {
  instructions: null,
  model: null,
  tools: null,
  skills: null,
  memory: 'shared',
  ...NO_BUDGETS,
};

/** Settings that apply to a turn, and what sets them. */
export type AppliedSettings = {
  readonly from: 'mission' | 'assistant' | 'project' | 'child';
  /** Use for its budgets of a day is counted under this id. */
  readonly id: string;
  readonly name: string;
  /** The folder of its own notes, such as `assistants/research`. */
  readonly folder: string;
  readonly settings: WorkSettings;
};

/** Every prompt contains the instructions. */
export const MAX_INSTRUCTIONS = 8000;

/** What a turn may do with the notes of its user. `below`: the one folder that it may write to; null for all. */
export type MemoryRights = { readonly reads: boolean; readonly writes: boolean; readonly below: string | null };

/** What all settings of a turn allow. Of several folders, the last one counts: the settings nearest to the turn come last. */
export function memoryRightsOf(applied: readonly Pick<AppliedSettings, 'folder' | 'settings'>[]): MemoryRights {
  const has = (scope: MemoryScope) => applied.some(({ settings }) => settings.memory === scope);
  const own = applied.findLast(({ settings }) => settings.memory === 'own');
  return { reads: !has('none'), writes: !has('none') && !has('read'), below: own?.folder ?? null };
}

/** Whether all settings of a turn allow a tool or a skill. */
export const isListed = (
  kind: 'tools' | 'skills',
  name: string,
  applied: readonly Pick<AppliedSettings, 'settings'>[],
): boolean => applied.every(({ settings }) => settings[kind]?.includes(name) ?? true);
