/** What a check has found. A problem keeps something from working; a warning is worth knowing. */
export type Finding = {
  readonly check: string;
  readonly level: 'ok' | 'warning' | 'problem';
  readonly message: string;
  /** What to do about it. */
  readonly mend?: string;
};

export const ok = (check: string, message: string): Finding => ({ check, level: 'ok', message });

export const warning = (check: string, message: string, mend: string): Finding => ({
  check,
  level: 'warning',
  message,
  mend,
});

export const problem = (check: string, message: string, mend: string): Finding => ({
  check,
  level: 'problem',
  message,
  mend,
});

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
