import type { CallCard, CallDecision, ItemPart, OpenGate } from '@reborn-agent/client/api';
import { gapBefore, isByOthers, ownTextOf } from '@reborn-agent/client/message-text';
import { findRunningTurn, type WaitsFor, waitsFor } from '@reborn-agent/client/running-turn';
import { gatesOfSubagents, type Subagent, subagentsOf } from '@reborn-agent/client/subagents';
import type { ThreadState } from '@reborn-agent/client/thread-state';
import type { CallEntry, MessageEntry } from '@reborn-agent/client/turn-entries';
import type { TurnState } from '@reborn-agent/client/turn-state';
import { withSourceList } from '#domain/search/cited-text.ts';
import { placeVersions, type VersionPosition } from './place-versions.ts';

/** Of a call without output. `stopped`: its turn is over. `unknown`: the service has not said yet whether it is. */
type CallState = 'running' | 'waiting' | 'stopped' | 'unknown';

/** What the screen shows, from top to bottom. */
export type Entry =
  | {
      readonly kind: 'said';
      readonly id: string;
      readonly role: 'user' | 'assistant';
      readonly text: string;
      /** The sender's own words, of a message that has more. */
      readonly written?: string;
      /** `pending`: the service has not accepted it yet. */
      readonly state: 'pending' | 'streaming' | 'done';
      /** The message was refused at a gate: no model has read it. */
      readonly isRefused?: boolean;
      /** Set if there are other versions: which one it is, and the turns that show the ones beside it. */
      readonly version?: VersionPosition['version'];
      readonly previous?: VersionPosition['previous'];
      readonly next?: VersionPosition['next'];
    }
  | {
      readonly kind: 'tool';
      readonly id: string;
      readonly name: string;
      readonly arguments: string;
      /** How its tool says what the call does. */
      readonly card?: CallCard | undefined;
      readonly state: CallState;
      /** How far it is, if its tool says so. */
      readonly progress?: string | undefined;
      readonly output: string | undefined;
      readonly decided?: CallDecision | undefined;
      /** The subagent that it has started, and those below it. */
      readonly subagents?: readonly Subagent[];
      readonly began: number;
      readonly ended: number | undefined;
    }
  | {
      readonly kind: 'queued';
      readonly id: string;
      readonly text: string;
      readonly waitsFor: WaitsFor;
      /** A message with files can only be withdrawn: the composer holds no files. */
      readonly editable: boolean;
    }
  | { readonly kind: 'pick-up'; readonly id: string; readonly gapMs: number | undefined }
  | {
      readonly kind: 'gate';
      readonly id: string;
      readonly gate: OpenGate;
      /** The calls that the person does not want, by their ids. */
      readonly unticked: ReadonlySet<string>;
      readonly answer: string | undefined;
    }
  | { readonly kind: 'note'; readonly id: string; readonly tone: 'plain' | 'failed'; readonly text: string };

/**
 * Where a note belongs: in this turn, after the first of these entries that still exists. Without a turn, before all
 * turns.
 */
type Anchor = { readonly turnId: string | undefined; readonly entryIds: readonly string[] };

export type Note = Extract<Entry, { kind: 'note' }> & { readonly anchor: Anchor };

/** What only this terminal knows of the thread. */
export type Local = {
  readonly notes: readonly Note[];
  readonly answered: readonly { readonly gate: OpenGate; readonly answer: string }[];
  readonly unticked: ReadonlySet<string>;
  readonly pending: readonly Extract<Entry, { kind: 'said' }>[];
  /** How each tool says what its calls do. */
  readonly cards: ReadonlyMap<string, CallCard | undefined>;
};

/** Derives the entries of a thread. An entry that did not change stays the same object, so that its lines can be kept. */
export function createEntryList(): (state: ThreadState, local: Local) => readonly Entry[] {
  let known = new Map<string, Entry>();
  return (state, local) => {
    const entries = deriveEntries(state, local).map((entry) => keepSame(known.get(entry.id), entry));
    known = new Map(entries.map((entry) => [entry.id, entry]));
    return entries;
  };
}

function deriveEntries(state: ThreadState, local: Local): readonly Entry[] {
  const notesOf = (turnId: string | undefined) => local.notes.filter(({ anchor }) => anchor.turnId === turnId);
  const versions = placeVersions(state);
  const turns = state.turns.flatMap((turn) => withNotes(entriesOf(turn, state, local, versions), notesOf(turn.id)));
  const isKnown = state.turns.some(({ id }) => id === state.gate?.turn_id);
  const gate = state.gate && !isKnown ? gateEntries(state.gate.turn_id, state, local) : [];
  return [...notesOf(undefined), ...turns, ...gate, ...queuedEntries(state), ...local.pending];
}

/** The anchor of a note that is added now. */
export function anchorNow(state: ThreadState, entries: readonly Entry[]): Anchor {
  const settled = entries.filter((entry) => entry.kind !== 'said' || entry.state !== 'pending');
  const entryIds = settled.slice(-3).map(({ id }) => id);
  return { turnId: state.turns.at(-1)?.id, entryIds: entryIds.toReversed() };
}

function withNotes(entries: readonly Entry[], notes: readonly Note[]): readonly Entry[] {
  if (notes.length === 0) return entries;
  const placed: Entry[] = [...entries];
  for (const note of notes) {
    const after = note.anchor.entryIds.find((wanted) => placed.some(({ id }) => id === wanted));
    const index = placed.findLastIndex(({ id }) => id === after);
    placed.splice(after === undefined ? placed.length : index + 1, 0, note);
  }
  return placed;
}

function entriesOf(turn: TurnState, state: ThreadState, local: Local, versions: Versions): readonly Entry[] {
  const entries = turn.entries.flatMap((entry): Entry[] => {
    if (entry.kind === 'pick-up') return [{ kind: 'pick-up', id: `${turn.id} ${entry.id}`, gapMs: entry.gapMs }];
    if (entry.kind === 'call') return [toolEntry(entry, turn, state, local), ...gatesBelow(entry, state, local)];
    const said = saidEntry(entry, versions.get(entry.id));
    return turn.isRefused ? said.map((each) => ({ ...each, isRefused: true })) : said;
  });
  return [...entries, ...(turn.isRefused ? [] : endOf(turn)), ...gateEntries(turn.id, state, local)];
}

function queuedEntries(state: ThreadState): Entry[] {
  return state.queued.map((queued): Entry => {
    const { turn_id: id, items } = queued;
    const parts = items.flatMap((item) => (item.type === 'message' && item.role === 'user' ? item.content : []));
    const editable = parts.every(isOwnText);
    return { kind: 'queued', id, text: textOf(parts), waitsFor: waitsFor(state, queued), editable };
  });
}

type Versions = ReturnType<typeof placeVersions>;

function saidEntry(entry: MessageEntry, position: VersionPosition | undefined): Extract<Entry, { kind: 'said' }>[] {
  const { id, role, state } = entry;
  if (role !== 'user' && role !== 'assistant') return [];
  const hasMore = !entry.parts.every(isOwnText);
  const words = hasMore ? textOf(entry.parts) : entry.text;
  const text = state === 'streaming' ? words : withSourceList(words, entry.citations);
  if (text === '' && state !== 'streaming') return [];
  const written = hasMore && { written: ownTextOf(entry.parts) };
  return [
    { kind: 'said', id, role, text, ...written, state: state === 'streaming' ? 'streaming' : 'done', ...position },
  ];
}

/** What the subagents of a call wait for. */
function gatesBelow(call: CallEntry, { subagents }: ThreadState, { answered, unticked }: Local): Entry[] {
  const told = new Set(answered.map(({ gate }) => gate.id));
  const open = gatesOfSubagents(subagentsOf(subagents, call.id)).filter(({ id }) => !told.has(id));
  return open.map((gate) => ({ kind: 'gate', id: gate.id, gate, unticked, answer: undefined }));
}

function toolEntry(call: CallEntry, turn: TurnState, state: ThreadState, { cards }: Local): Entry {
  const output = state.outputs.get(call.callId);
  const subagents = subagentsOf(state.subagents, call.id);
  return {
    kind: 'tool',
    id: call.id,
    name: call.name,
    arguments: call.arguments,
    card: cards.get(call.name),
    state: callState(call, turn, state),
    progress: call.progress,
    output: output && textOf(output.parts),
    ...(output?.decided && { decided: output.decided }),
    ...(subagents.length > 0 && { subagents }),
    began: call.startedAt ?? 0,
    ended: output && (call.endedAt ?? output.at),
  };
}

/** A call that waited at a gate runs in a later turn. Of a thread that is opened, only the newest turn reports how it is. */
function callState(call: CallEntry, turn: TurnState, state: ThreadState): CallState {
  if (state.gate?.calls.some(({ call_id: id }) => id === call.callId)) return 'waiting';
  if (turn.status === 'running') return 'running';
  const newest = state.turns.at(-1);
  const isLoaded = turn.status === 'unknown' && isOfNewestRun(turn, state);
  if (isLoaded && newest?.status === 'unknown') return 'unknown';
  const goesOn = (isLoaded || turn.status === 'waiting') && findRunningTurn(state) !== undefined;
  return goesOn ? 'running' : 'stopped';
}

/** Whether no message began another run after this turn. */
function isOfNewestRun({ seq }: TurnState, { turns }: ThreadState): boolean {
  const first = turns.findLast(({ entries }) => entries.some(isAsked));
  return first === undefined || seq >= first.seq;
}

const isAsked = (entry: TurnState['entries'][number]) => entry.kind === 'message' && entry.role === 'user';

function endOf(turn: TurnState): Entry[] {
  const note = (text: string, tone: 'plain' | 'failed' = 'plain'): Entry[] => [
    { kind: 'note', id: `${turn.id} end`, tone, text },
  ];
  if (turn.status === 'failed') return note(turn.failure?.message ?? 'The turn failed.', 'failed');
  if (turn.status === 'cancelled') return note('Stopped by you.');
  if (turn.isSteered) return note('Stopped here to read your next message.');
  return turn.status === 'incomplete' ? note("The answer was cut short by the model's limit.") : [];
}

/** What a person says who approves a call and others like it. */
export const FROM_NOW_ON = 'approved, and from now on';

/** An answered gate is told by its calls once they have an output, except for what it allows from now on. */
function gateEntries(turnId: string, { gate: open, outputs }: ThreadState, { answered, unticked }: Local): Entry[] {
  const isTold = ({ calls }: OpenGate) => calls.every(({ call_id: id }) => outputs.get(id)?.decided);
  const own = answered.filter(
    ({ gate, answer }) => gate.turn_id === turnId && (!isTold(gate) || answer.startsWith(FROM_NOW_ON)),
  );
  const entries = own.map(({ gate, answer }): Entry => ({ kind: 'gate', id: gate.id, gate, unticked, answer }));
  if (open?.turn_id === turnId && !own.some(({ gate }) => gate.id === open.id))
    entries.push({ kind: 'gate', id: open.id, gate: open, unticked, answer: undefined });
  return entries;
}

function keepSame(before: Entry | undefined, now: Entry): Entry {
  if (before === now || before?.kind !== now.kind) return now;
  const fields = Object.entries(now);
  const past = new Map<string, unknown>(Object.entries(before));
  return fields.length === past.size && fields.every(([name, value]) => past.get(name) === value) ? before : now;
}

const isOwnText = (part: ItemPart): boolean => part.type === 'text' && !isByOthers(part);

const textOf = (parts: readonly ItemPart[]): string =>
  parts
    .map((part, index) =>
      part.type === 'text'
        ? gapBefore(parts, index) + part.text
        : `${index > 0 ? '\n' : ''}[${(part.type === 'file' && part.filename) || part.type}]`,
    )
    .join('');
