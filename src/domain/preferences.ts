/** What a user has chosen for themselves. */
export type Preferences = {
  /** The model of new threads; null for the installation's default. */
  readonly defaultModel: string | null;
  /** Whether a model names new threads after the first turn. */
  readonly generateTitles: boolean;
  /** What becomes of a message that is sent while the agent works, unless its sender says it. */
  readonly whenBusy: 'steer' | 'queue';
  /** Whether the agent may write notes. */
  readonly remembers: boolean;
};

export const NO_PREFERENCES: Preferences = {
  defaultModel: null,
  generateTitles: true,
  whenBusy: 'steer',
  remembers: true,
};
