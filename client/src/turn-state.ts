import type { ThreadItem, TurnFailure } from './api.ts';
import {
  addItem,
  attemptOf,
  changeMessage,
  closeOpen,
  type Entry,
  entryOf,
  finish,
  type PickUpEntry,
  showProgress,
  supersede,
  type TurnEventMessage,
  waitsForSubagents,
} from './turn-entries.ts';

export type TurnStatus = 'unknown' | 'running' | 'ended' | 'incomplete' | 'waiting' | 'failed' | 'cancelled';

export type TurnState = {
  readonly id: string;
  readonly seq: number;
  readonly status: TurnStatus;
  readonly failure: TurnFailure | undefined;
  /** Its message was refused at a gate: no model has read it. */
  readonly isRefused: boolean;
  /** A later message has ended it early. */
  readonly isSteered: boolean;
  /** The name of the assistant that answers; undefined for the usual agent. */
  readonly assistant: string | undefined;
  /** Set while a failed model call is repeated. */
  readonly trouble: Trouble | undefined;
  readonly entries: readonly Entry[];
  /** The number of the newest event, and when it arrived. */
  readonly sequence: number | undefined;
  readonly heardAt: number | undefined;
  readonly startedAt: string | undefined;
};

/** Why a model failed, and when the next call is due by the clock of this client. */
export type Trouble = {
  readonly failure: TurnFailure;
  /** The other model that is asked next; undefined for the same one. */
  readonly next: string | undefined;
  /** Which try comes next, if the same model is asked. */
  readonly tries: { readonly next: number; readonly most: number } | undefined;
  readonly dueAt: number;
};

export const NEW_TURN: TurnState = {
  id: '',
  seq: 0,
  status: 'unknown',
  failure: undefined,
  isRefused: false,
  isSteered: false,
  assistant: undefined,
  trouble: undefined,
  entries: [],
  sequence: undefined,
  heardAt: undefined,
  startedAt: undefined,
};

/** A page can start in the middle of a turn or be ahead of the events: what is not known yet goes where the page has it. */
export function placeItems(turn: TurnState, items: readonly ThreadItem[]): TurnState {
  const entries = [...turn.entries];
  let next = 0;
  for (const item of items) {
    if (item.type === 'function_call_output') continue;
    const index = entries.findIndex(({ id }) => id === item.id);
    if (index < 0) entries.splice(next++, 0, entryOf(item));
    else {
      entries[index] = entryOf(item);
      next = index + 1;
    }
  }
  return { ...turn, entries: withPickUps(entries) };
}

/** Marks the crash between the items of two attempts. */
function withPickUps(entries: readonly Entry[]): readonly Entry[] {
  const placed: Entry[] = [];
  let attempt: number | null = null;
  for (const entry of entries) {
    const own = entry.kind === 'pick-up' ? null : entry.attempt;
    const isLater = own !== null && attempt !== null && own > attempt;
    const before = placed.at(-1);
    if (
      isLater &&
      before?.kind !== 'pick-up' &&
      !waitsForSubagents(before) &&
      !entries.some((other) => other.id === `pick-up ${own}`)
    )
      placed.push({ kind: 'pick-up', id: `pick-up ${own}`, gapMs: undefined, superseded: [] });
    if (own !== null) attempt = own;
    placed.push(entry);
  }
  return placed;
}

/** An event of a later attempt means that the turn was started again after a crash, unless it waited for subagents. */
export function pickedUp(turn: TurnState, { sequence, event }: TurnEventMessage, now: number): TurnState {
  const { sequence: last, heardAt } = turn;
  if (last === undefined || last < 0 || attemptOf(sequence) <= attemptOf(last)) return turn;
  const isReport = event.type === 'item-added' && event.item.type === 'function_call_output';
  if (isReport && waitsForSubagents(turn.entries.at(-1))) return turn;
  const id = `pick-up ${attemptOf(sequence)}`;
  if (turn.entries.some((entry) => entry.id === id)) return turn;
  // Replayed events arrive together, so the time between them means nothing.
  const gap = heardAt === undefined ? undefined : now - heardAt;
  const entry: PickUpEntry = {
    kind: 'pick-up',
    id,
    gapMs: gap !== undefined && gap > 50 ? gap : undefined,
    superseded: [],
  };
  return { ...turn, entries: [...turn.entries, entry] };
}

export function follow(turn: TurnState, { event, sequence }: TurnEventMessage, now: number): TurnState {
  switch (event.type) {
    case 'turn-started':
      return {
        ...placeItems(turn, event.items),
        status: 'running',
        seq: event.seq,
        startedAt: event.created_at,
        assistant: event.assistant,
      };
    case 'item-added':
      return { ...turn, status: 'running', entries: addItem(turn.entries, event.item, sequence, now) };
    case 'text-delta':
      return { ...turn, entries: changeMessage(turn.entries, event.item_id, event.delta) };
    case 'item-done':
      if (!event.written) return { ...turn, entries: supersede(turn.entries, event.item) };
      return { ...turn, entries: finish(turn.entries, event.item) };
    case 'model-failed': {
      const { message, details, tries, model, next, wait_ms: waitMs } = event;
      const failure = { code: 'model_error', message, ...(details && { details }) };
      const trouble = { failure, next: next === model ? undefined : next, tries, dueAt: now + waitMs };
      return { ...turn, status: 'running', trouble };
    }
    case 'tool-progress':
      return { ...turn, entries: showProgress(turn.entries, event) };
    case 'turn-ended':
      return {
        ...turn,
        status: endOf(event.status),
        failure: event.failure ?? undefined,
        isSteered: Boolean(event.steered_by),
        entries: closeOpen(turn.entries),
      };
  }
}

function endOf(status: string): TurnStatus {
  if (status === 'failed' || status === 'cancelled' || status === 'waiting' || status === 'incomplete') return status;
  return 'ended';
}
