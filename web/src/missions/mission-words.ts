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
    case 'due':
      return { mark: 'idle', words: t`due` };
    case 'cancelled':
      return { mark: 'idle', words: t`cancelled` };
    case 'missed':
      return { mark: 'idle', words: t`missed` };
    case 'skipped':
      return { mark: 'idle', words: t`skipped` };
  }
}

const completions = (): Record<string, string> => ({ no_result: t`nothing to report`, incomplete: t`cut short` });

/** Why a due time did not run or failed; undefined when the outcome says enough. */
export function reasonOf({ status, reason }: Pick<Occurrence, 'status' | 'reason'>): string | undefined {
  if (reason === null || status === 'completed') return undefined;
  return reasons()[reason] ?? t`for a reason that this page does not know (${reason})`;
}

/** Of the service's own, and the codes of failed turns. */
const reasons = (): Readonly<Record<string, string>> => ({
  overlap: t`another run was under way`,
  paused: t`the mission was paused`,
  assistant_missing: t`its assistant does not exist any more`,
  budget: t`the budget of the day was used up`,
  changed: t`the mission was changed`,
  too_many_events: t`more than 60 events in an hour`,
  not_running: t`the service was not running`,
  budget_exceeded: t`the budget was used up`,
  model_error: t`the model failed`,
  model_not_configured: t`no model is set up`,
  tool_error: t`a tool failed`,
  turn_timeout: t`it took too long`,
  thread_full: t`its thread has reached the limit`,
  thread_busy: t`too many messages wait in its thread`,
  approval_required: t`no approval in time`,
  authentication_required: t`nobody signed in in time`,
  pairing_required: t`it was not paired in time`,
  input_required: t`its question was not answered in time`,
  tool_output_missing: t`the result of a tool did not come in time`,
  previous_response_not_found: t`what it continues does not exist any more`,
  invalid_output: t`the answer did not have the form that was asked for`,
  max_rounds: t`it called tools too often without an answer`,
  attachment_unavailable: t`an image or a file could not be read`,
  interrupted: t`it was interrupted too often`,
  internal_error: t`the service made an error`,
  cancelled: t`it was stopped`,
  superseded: t`another message took its place`,
  deleted: t`its thread was deleted`,
  user_removed: t`its user was removed`,
});

/** A time in a time zone, by the clock of the reader: "Mon, Nov 16, 8:00 AM". */
export function formatIn(time: string, timeZone: string): string {
  return new Intl.DateTimeFormat(formatLocales(), { ...TIME, timeZone }).format(new Date(time));
}

const TIME = { weekday: 'short', month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' } as const;

export const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone;
