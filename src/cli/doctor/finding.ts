import { ConfigError } from '#config/config-error.ts';

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

export function reasonOf(error: unknown): string {
  if (error instanceof ConfigError) return error.problems.join(' ');
  return error instanceof Error ? error.message : String(error);
}
