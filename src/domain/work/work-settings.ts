/**
 * How the agent works in a part of its turns: what a person sets for an assistant or a project, and later for a subagent. They
 * only narrow: a turn may do what its user may do and all of its settings allow. null: no limit.
 */
export type WorkSettings = Budgets & {
  /** What the agent is told, after its identity. Only a person writes it. */
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
 * below a folder of its own. `none`: no tools of the memory, and no identity notes.
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
  readonly from: 'assistant' | 'project';
  readonly name: string;
  /** The folder of its own notes, such as `assistants/research`. */
  readonly folder: string;
  readonly settings: WorkSettings;
};

/** Every prompt contains the instructions. */
export const MAX_INSTRUCTIONS = 8000;
