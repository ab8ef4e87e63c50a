import type { OpenGate, QueuedTurn } from '@reborn-agent/client/api';
import type {
  CallEntry,
  Entry,
  MessageEntry,
  Output,
  PickUpEntry,
  ThreadState,
  TurnState,
} from '@reborn-agent/client/thread-state';

/** A call together with what came of it. */
export type Step = { readonly call: CallEntry; readonly output: Output | undefined; readonly waits: boolean };

/** One row of the transcript. `first`: the speaker's name is shown above it. */
export type Row =
  | { readonly kind: 'user'; readonly id: string; readonly turnId: string; readonly entry: MessageEntry }
  | {
      readonly kind: 'answer';
      readonly id: string;
      readonly turnId: string;
      readonly entry: MessageEntry;
      readonly first: boolean;
    }
  | {
      readonly kind: 'steps';
      readonly id: string;
      readonly turnId: string;
      readonly steps: readonly Step[];
      readonly first: boolean;
    }
  | { readonly kind: 'pick-up'; readonly id: string; readonly turnId: string; readonly entry: PickUpEntry }
  | { readonly kind: 'gate'; readonly id: string; readonly gate: OpenGate }
  | {
      readonly kind: 'failure';
      readonly id: string;
      readonly turnId: string;
      readonly words: string;
      readonly asked: string;
    }
  | { readonly kind: 'queued'; readonly id: string; readonly queued: QueuedTurn }
  | { readonly kind: 'stopped'; readonly id: string }
  | { readonly kind: 'working'; readonly id: string; readonly turn: TurnState; readonly first: boolean };

/** The transcript of a thread, from its beginning. */
export function rowsOf(state: ThreadState): Row[] {
  const rows: Row[] = [];
  for (const turn of state.turns) {
    for (const entry of turn.entries) addEntry(rows, state, turn, entry);
    rows.push(...endingOf(turn, rows));
  }
  if (state.gate) rows.push({ kind: 'gate', id: state.gate.id, gate: state.gate });
  for (const queued of state.queued) rows.push({ kind: 'queued', id: queued.turn_id, queued });
  return rows;
}

function addEntry(rows: Row[], state: ThreadState, turn: TurnState, entry: Entry): void {
  const turnId = turn.id;
  const { id } = entry;
  if (entry.kind === 'pick-up') {
    rows.push({ kind: 'pick-up', id: `${turnId} ${id}`, turnId, entry });
  } else if (entry.kind === 'call') {
    addStep(rows, turnId, {
      call: entry,
      output: state.outputs.get(entry.callId),
      waits: state.gate?.call.call_id === entry.callId,
    });
  } else if (entry.role === 'user') {
    rows.push({ kind: 'user', id, turnId, entry });
  } else if (entry.role === 'assistant' && (entry.text !== '' || entry.state === 'streaming')) {
    rows.push({ kind: 'answer', id, turnId, entry, first: isFirst(rows) });
  }
}

/** Calls in a row stand together. */
function addStep(rows: Row[], turnId: string, step: Step): void {
  const last = rows.at(-1);
  if (last?.kind === 'steps') rows[rows.length - 1] = { ...last, steps: [...last.steps, step] };
  else rows.push({ kind: 'steps', id: step.call.id, turnId, steps: [step], first: isFirst(rows) });
}

function endingOf(turn: TurnState, rows: readonly Row[]): Row[] {
  const id = `${turn.id} end`;
  if (turn.status === 'failed')
    return [{ kind: 'failure', id, turnId: turn.id, words: turn.failure ?? UNKNOWN_FAILURE, asked: askedLast(rows) }];
  if (turn.status === 'cancelled') return [{ kind: 'stopped', id }];
  const last = turn.entries.at(-1);
  const speaks = last?.kind === 'message' && last.state === 'streaming' && last.text !== '';
  return turn.status === 'running' && !speaks ? [{ kind: 'working', id, turn, first: isFirst(rows) }] : [];
}

function isFirst(rows: readonly Row[]): boolean {
  const last = rows.findLast(({ kind }) => kind !== 'pick-up');
  return last === undefined || last.kind === 'user' || last.kind === 'stopped' || last.kind === 'failure';
}

const UNKNOWN_FAILURE = 'The turn failed, and left no reason. Inspect it, or look into the state of the service.';

function askedLast(rows: readonly Row[]): string {
  const row = rows.findLast(({ kind }) => kind === 'user');
  return row?.kind === 'user' ? row.entry.text : '';
}
