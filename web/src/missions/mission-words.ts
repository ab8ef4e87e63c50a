import { t } from '@lingui/core/macro';
import type { Mission, Occurrence } from '@reborn-agent/client/api';
import { formatLocales } from '../format/number.ts';
import type { Mark } from '../parts/status-mark.tsx';

type Shown = { readonly mark: Mark; readonly words: string };

/** The state of a mission. */
export function markOfMission({ state, pause_reason: reason }: Mission): Shown {
  if (state === 'active') return { mark: 'idle', words: t`active` };
  if (state === 'ended') return { mark: 'idle', words: t`ended` };
  if (reason === 'paused_by_user' || reason === null) return { mark: 'idle', words: t`paused` };
  return { mark: 'failed', words: t`paused` };
}

/** Why a mission is paused without its owner having asked for it. */
export const pauses = (): Record<string, string> => ({
  repeated_failure: t`Paused because its last runs failed. Fix the cause, then resume it.`,
  broken_schedule: t`Paused because its schedule can no longer be computed. Choose another schedule.`,
  user_removed: t`Paused because its user was removed.`,
});

/** The outcome of an occurrence. */
export function markOfRun({ status, reason }: Pick<Occurrence, 'status' | 'reason'>): Shown {
  switch (status) {
    case 'completed':
      return { mark: 'done', words: completions()[reason ?? ''] ?? t`completed` };
    case 'failed':
      return { mark: 'failed', words: t`failed` };
    case 'running':
      return { mark: 'running', words: t`running` };
    case 'waiting':
      return { mark: 'waiting', words: t`waits for you` };
    default:
      return { mark: 'idle', words: status };
  }
}

const completions = (): Record<string, string> => ({ no_result: t`nothing to report`, incomplete: t`cut short` });

/** Why a due time did not run or failed; undefined when the outcome says enough. */
export function reasonOf({ status, reason }: Pick<Occurrence, 'status' | 'reason'>): string | undefined {
  if (reason === null || status === 'completed') return undefined;
  return reasons()[reason] ?? reason.replaceAll('_', ' ');
}

const reasons = (): Record<string, string> => ({
  overlap: t`another run was under way`,
  paused: t`the mission was paused`,
  budget: t`the budget of the day was used up`,
  changed: t`the mission was changed`,
  too_many_events: t`more than 60 events in an hour`,
  not_running: t`the service was not running`,
  budget_exceeded: t`the budget was used up`,
  model_error: t`the model failed`,
  model_not_configured: t`no model is set up`,
  tool_error: t`a tool failed`,
  turn_timeout: t`it took too long`,
  authentication_required: t`no sign-in in time`,
  input_required: t`no answer in time`,
  pairing_required: t`it was not paired in time`,
  max_rounds: t`too many calls of tools without an answer`,
  interrupted: t`it was interrupted too often`,
  internal_error: t`the service made an error`,
  thread_full: t`its thread has reached the limit`,
  thread_busy: t`too many messages wait in its thread`,
  attachment_unavailable: t`an image or a file can't be read`,
  approval_required: t`no approval in time`,
});

/** A time in a time zone, such as "Mon, Nov 16, 08:00". */
export function formatIn(time: string, timeZone: string): string {
  return new Intl.DateTimeFormat(formatLocales(), { ...TIME, timeZone }).format(new Date(time));
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
