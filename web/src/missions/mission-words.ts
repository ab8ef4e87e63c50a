import type { Mission, Occurrence } from '@reborn-agent/client/api';
import type { Mark } from '../parts/status-mark.tsx';

type Shown = { readonly mark: Mark; readonly words: string };

/** The state of a mission. */
export function markOfMission({ state, pause_reason: reason }: Mission): Shown {
  if (state === 'active') return { mark: 'idle', words: 'active' };
  if (state === 'ended') return { mark: 'idle', words: 'ended' };
  if (reason === 'paused_by_user' || reason === null) return { mark: 'idle', words: 'paused' };
  return { mark: 'failed', words: 'paused' };
}

/** Why a mission is paused without its owner having asked for it. */
export const PAUSES: Record<string, string> = {
  repeated_failure: 'Paused because its last runs failed. Fix the cause, then resume it.',
  broken_schedule: 'Paused because its schedule can no longer be computed. Choose another schedule.',
  user_removed: 'Paused because its user was removed.',
};

/** The outcome of an occurrence. */
export function markOfRun({ status, reason }: Pick<Occurrence, 'status' | 'reason'>): Shown {
  switch (status) {
    case 'completed':
      return { mark: 'done', words: COMPLETED[reason ?? ''] ?? 'completed' };
    case 'failed':
      return { mark: 'failed', words: 'failed' };
    case 'running':
      return { mark: 'running', words: 'running' };
    case 'waiting':
      return { mark: 'waiting', words: 'waits for you' };
    default:
      return { mark: 'idle', words: status };
  }
}

const COMPLETED: Record<string, string> = { no_result: 'nothing to report', incomplete: 'cut short' };

/** Why a due time did not run or failed; undefined when the outcome says enough. */
export function reasonOf({ status, reason }: Pick<Occurrence, 'status' | 'reason'>): string | undefined {
  if (reason === null || status === 'completed') return undefined;
  return REASONS[reason] ?? reason.replaceAll('_', ' ');
}

const REASONS: Record<string, string> = {
  overlap: 'another run was under way',
  paused: 'the mission was paused',
  budget: 'the budget of the day was used up',
  changed: 'the mission was changed',
  too_many_events: 'more than 60 events in an hour',
  not_running: 'the service was not running',
  budget_exceeded: 'the budget was used up',
  model_error: 'the model failed',
  approval_required: 'no approval in time',
};

/** A time in a time zone, such as "Mon, Nov 16, 08:00". */
export function formatIn(time: string, timeZone: string): string {
  return new Intl.DateTimeFormat('en', { ...TIME, timeZone }).format(new Date(time));
}

const TIME = {
  weekday: 'short',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
} as const;

export const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone;
