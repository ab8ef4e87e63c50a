import type {
  BareItem,
  CallDecision,
  ItemPart,
  OpenGate,
  QueuedTurn,
  ServerMessage,
  Thread,
  ThreadItem,
  TreeNode,
  TurnVersions,
} from './api.ts';
import type { TurnEventMessage } from './turn-entries.ts';
import { follow, NEW_TURN, pickedUp, placeItems, type TurnState } from './turn-state.ts';

/** What is known of a thread: its turns in order. It is never changed in place. */
export type ThreadState = {
  readonly turns: readonly TurnState[];
  /** By the id of the call. The output of a call that waited at a gate belongs to a later turn. */
  readonly outputs: ReadonlyMap<string, Output>;
  /** Open until the service says that it was answered. */
  readonly gate: OpenGate | undefined;
  /** The subagents that its calls have started, and those below them. */
  readonly subagents: readonly TreeNode[];
  /** The turns that wait behind the running one or the gate. `turns` does not have them. */
  readonly queued: readonly QueuedTurn[];
  /** Which line of turns is shown: the number grows when another version of a message is shown. */
  readonly line: number;
  /** Of the turns that have other versions, by the id of the turn. */
  readonly versions: ReadonlyMap<string, TurnVersions>;
  /** Its title, status and usage, as far as they were received. */
  readonly thread: Thread | undefined;
};

export type Output = {
  readonly itemId: string;
  readonly parts: readonly ItemPart[];
  readonly at: number;
  /** Where it comes from, as far as that is recorded. */
  readonly reads: { readonly foreign: boolean; readonly private: boolean } | undefined;
  /** The person has trusted it. */
  readonly isVouched: boolean;
  /** How the call was decided, if it was asked about. */
  readonly decided: CallDecision | undefined;
};

export const EMPTY_THREAD: ThreadState = {
  turns: [],
  outputs: new Map(),
  gate: undefined,
  subagents: [],
  queued: [],
  line: 0,
  versions: new Map(),
  thread: undefined,
};

/** Adds a page of stored items. Items that are known already are replaced. */
export function withItems(state: ThreadState, items: readonly ThreadItem[]): ThreadState {
  const placed = items.filter((item) => !state.queued.some(({ turn_id: id }) => id === item.turn_id));
  const byTurn = Map.groupBy(placed, (item) => item.turn_id);
  let next = withOutputs(state, placed);
  for (const [id, own] of byTurn) next = changeTurn(next, id, own[0]?.turn_seq ?? 0, (turn) => placeItems(turn, own));
  return next;
}

/** Replaces the queue. A turn that was seen to start is no longer in it. */
export function withQueue(state: ThreadState, queued: readonly QueuedTurn[]): ThreadState {
  const started = new Set(state.turns.filter(({ status }) => status !== 'unknown').map(({ id }) => id));
  const waiting = queued.filter(({ turn_id: id }) => !started.has(id));
  const turns = state.turns.filter((turn) => !waiting.some(({ turn_id: id }) => id === turn.id));
  return { ...state, queued: waiting, turns };
}

/** Adds what a message says about the thread. Messages that are not about it change nothing. */
export function withMessage(state: ThreadState, message: ServerMessage, now: number): ThreadState {
  switch (message.type) {
    case 'turn-event':
      return withEvent(state, message, now);
    case 'gate':
      return { ...state, gate: message.gate ?? undefined };
    case 'thread':
      return { ...state, thread: message.thread ?? undefined };
    default:
      return state;
  }
}

/** A replayed event that is known already changes nothing. */
function withEvent(state: ThreadState, message: TurnEventMessage, now: number): ThreadState {
  const { turn_id: id, sequence, event } = message;
  if (state.queued.some((turn) => turn.turn_id === id))
    return withEvent({ ...state, queued: state.queued.filter((turn) => turn.turn_id !== id) }, message, now);
  const known = state.turns.find((turn) => turn.id === id);
  if (known?.sequence !== undefined && sequence <= known.sequence) return state;
  const seq = event.type === 'turn-started' ? event.seq : (known?.seq ?? Number.MAX_SAFE_INTEGER);
  return changeTurn(withOutputs(state, itemsOf(event), now), id, seq, (turn) => ({
    ...follow({ ...pickedUp(turn, message, now), trouble: undefined }, message, now),
    sequence,
    heardAt: now,
  }));
}

/** Another gate may have opened before the answer to this one was confirmed. */
export function withoutGate(state: ThreadState, gateId: string): ThreadState {
  if (state.gate?.id === gateId) return { ...state, gate: undefined };
  const at = state.subagents.findIndex(({ gate }) => gate?.id === gateId);
  const asking = state.subagents[at];
  if (!asking) return state;
  return { ...state, subagents: state.subagents.with(at, { ...asking, state: 'active', gate: null }) };
}

/** The person has trusted this message or output. */
export function withVouched(state: ThreadState, itemId: string): ThreadState {
  const output = [...state.outputs].find(([, each]) => each.itemId === itemId);
  const outputs = output ? new Map(state.outputs).set(output[0], { ...output[1], isVouched: true }) : state.outputs;
  const turns = state.turns.map((turn) => {
    const index = turn.entries.findIndex((entry) => entry.kind === 'message' && entry.id === itemId);
    const entry = turn.entries[index];
    if (entry?.kind !== 'message') return turn;
    return { ...turn, entries: turn.entries.with(index, { ...entry, isVouched: true }) };
  });
  return { ...state, outputs, turns };
}

/** Where a subscription continues: after the newest event, or from the start of the newest turn. */
export function positionOf(state: ThreadState): { turn_id: string; sequence?: number } | undefined {
  const newest = state.turns.at(-1);
  if (!newest) return undefined;
  return { turn_id: newest.id, ...(newest.sequence !== undefined && { sequence: newest.sequence }) };
}

function changeTurn(state: ThreadState, id: string, seq: number, change: (turn: TurnState) => TurnState): ThreadState {
  const index = state.turns.findIndex((turn) => turn.id === id);
  const found = state.turns[index];
  if (found) {
    const turn = change(found);
    return {
      ...state,
      turns: state.turns.with(index, turn.seq === seq ? turn : { ...turn, seq: Math.min(turn.seq, seq) }),
    };
  }
  const turns = [...state.turns, change({ ...NEW_TURN, id, seq })].toSorted((one, other) => one.seq - other.seq);
  return { ...state, turns };
}

/** An output is known before it is stored, and its files can be read only afterwards: then they have addresses. */
function withOutputs(state: ThreadState, items: readonly (ThreadItem | BareItem)[], now = 0): ThreadState {
  const fresh = items.filter(
    (item) => item.type === 'function_call_output' && !hasFiles(state.outputs.get(item.call_id)),
  );
  if (fresh.length === 0) return state;
  const outputs = new Map(state.outputs);
  for (const item of fresh) {
    if (item.type !== 'function_call_output') continue;
    outputs.set(item.call_id, {
      itemId: item.id,
      parts: item.output,
      at: 'created_at' in item ? Date.parse(item.created_at) : (outputs.get(item.call_id)?.at ?? now),
      reads: item.reads,
      isVouched: item.vouched ?? false,
      decided: item.decided,
    });
  }
  return { ...state, outputs };
}

const hasFiles = (known: Output | undefined): boolean =>
  known !== undefined && known.parts.every((part) => part.type === 'text' || part.url !== null);

function itemsOf(event: TurnEventMessage['event']): readonly (ThreadItem | BareItem)[] {
  if (event.type === 'turn-started') return event.items;
  return event.type === 'item-added' || event.type === 'item-done' ? [event.item] : [];
}
