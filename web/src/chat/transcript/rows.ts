import type { FileVersion, OpenGate, QueuedTurn, TurnFailure, TurnVersions } from '@reborn-agent/client/api';
import { isByOthers, textOf } from '@reborn-agent/client/message-text';
import { waitsForAnswer } from '@reborn-agent/client/running-turn';
import { gatesOfSubagents, type Subagent, subagentsOf } from '@reborn-agent/client/subagents';
import type { Output, ThreadState } from '@reborn-agent/client/thread-state';
import type { CallEntry, Entry, MessageEntry, PickUpEntry } from '@reborn-agent/client/turn-entries';
import type { TurnState } from '@reborn-agent/client/turn-state';
import { formatDay, isSameDay } from '../../format/time.ts';
import { type Took, tookOf } from './took.ts';
import { type Voice, voiceOf } from './voice.ts';

/** A call together with what came of it. */
export type Step = {
  readonly call: CallEntry;
  readonly output: Output | undefined;
  readonly waits: boolean;
  /** The subagent that the call has started, and those below it. */
  readonly subagents?: readonly Subagent[];
};

/** Where a message is among its versions. */
export type VersionPosition = NonNullable<TurnVersions['message']> & { readonly of: 'message' | 'answer' };

/** One row of the transcript. `first`: it begins what the agent says, so the speaker is named above it. */
export type Row =
  | {
      readonly kind: 'user';
      readonly id: string;
      readonly turnId: string;
      readonly entry: MessageEntry;
      /** Its versions, and the answers to it if none is shown. */
      readonly versions: readonly VersionPosition[];
    }
  | {
      readonly kind: 'answer';
      readonly id: string;
      readonly turnId: string;
      readonly entry: MessageEntry;
      readonly first: boolean;
      readonly by: Voice;
      /** Nothing was answered after it. */
      readonly newest: boolean;
      /** The other answers to the same message. */
      readonly versions: readonly VersionPosition[];
      /** Of the whole turn, at the last answer of a turn that has ended. */
      readonly took: Took | undefined;
    }
  | {
      readonly kind: 'steps';
      readonly id: string;
      readonly turnId: string;
      readonly steps: readonly Step[];
      readonly first: boolean;
      readonly by: Voice;
      /** Text follows. */
      readonly followed: boolean;
    }
  | { readonly kind: 'pick-up'; readonly id: string; readonly turnId: string; readonly entry: PickUpEntry }
  | { readonly kind: 'gate'; readonly id: string; readonly gate: OpenGate }
  | {
      readonly kind: 'failure';
      readonly id: string;
      readonly turnId: string;
      /** undefined: it left no reason. */
      readonly failure: TurnFailure | undefined;
      /** The id of the message that can be asked again. */
      readonly asked: string | undefined;
    }
  /** `atGate`: it waits until the person has answered. `gate`: what can be denied instead. */
  | {
      readonly kind: 'queued';
      readonly id: string;
      readonly queued: QueuedTurn;
      readonly atGate: boolean;
      readonly gate: OpenGate | undefined;
    }
  /** A message that was refused at a gate; `text`: what can be sent again. */
  | { readonly kind: 'unread'; readonly id: string; readonly text: string | undefined }
  | { readonly kind: 'stopped'; readonly id: string }
  | { readonly kind: 'steered'; readonly id: string }
  | { readonly kind: 'day'; readonly id: string; readonly words: string }
  | {
      readonly kind: 'working';
      readonly id: string;
      readonly turn: TurnState;
      /** The id of the message that can be asked again. */
      readonly asked: string | undefined;
      readonly first: boolean;
      readonly by: Voice;
      readonly waits: boolean;
    };

/** The transcript of a thread, from its beginning, or with `hasOlder` from what is loaded on. */
export function rowsOf(state: ThreadState, now: Date = new Date(), hasOlder = false): Row[] {
  const rows: Row[] = [];
  for (const [index, turn] of state.turns.entries()) {
    for (const entry of turn.entries) addEntry(rows, state, turn, entry);
    addTook(rows, turn, state.turns[index - 1]);
    rows.push(...endingOf(turn, rows, state));
  }
  placeVersions(rows, state);
  markFollowed(rows);
  const newest = rows.findLastIndex(({ kind }) => kind === 'answer');
  const answer = rows[newest];
  if (answer?.kind === 'answer') rows[newest] = { ...answer, newest: true };
  if (state.gate) rows.push({ kind: 'gate', id: state.gate.id, gate: state.gate });
  const atGate = waitsForAnswer(state);
  const gate = state.gate?.kind === 'approval' ? state.gate : undefined;
  for (const queued of state.queued) rows.push({ kind: 'queued', id: queued.turn_id, queued, atGate, gate });
  return withDays(rows.flatMap(withGatesBelow), now, hasOlder);
}

/** What subagents wait for is asked below the step that has started them. */
function withGatesBelow(row: Row): Row[] {
  if (row.kind !== 'steps') return [row];
  const gates = gatesOfSubagents(row.steps.flatMap(({ subagents = [] }) => subagents));
  return [row, ...gates.map((gate): Row => ({ kind: 'gate', id: gate.id, gate }))];
}

/** The row of the step or message that made a version of the files. The output of such a step ends with its number. */
export function findRow(rows: readonly Row[], { version, turn_id: turnId }: FileVersion): string | undefined {
  const isMaker = ({ output }: Step) => output && textOf(output.parts).endsWith(`; version ${version}`);
  const steps = rows.find((row) => row.kind === 'steps' && row.steps.some(isMaker));
  return (steps ?? rows.find((row) => row.kind === 'user' && row.turnId === turnId))?.id;
}

/**
 * Says which day it is where another one begins, and at the top unless everything was said today. While older messages are to be
 * loaded, the top has no day: the list keeps its position by its first row, which must still be there afterwards.
 */
function withDays(rows: readonly Row[], now: Date, hasOlder: boolean): Row[] {
  let day = hasOlder ? undefined : now;
  return rows.flatMap((row): Row[] => {
    const at = row.kind === 'user' || row.kind === 'answer' ? row.entry.at : undefined;
    if (at !== undefined) day ??= new Date(at);
    if (at === undefined || day === undefined || isSameDay(day, new Date(at))) return [row];
    day = new Date(at);
    return [{ kind: 'day', id: `${row.id} day`, words: formatDay(at, now) }, row];
  });
}

function addEntry(rows: Row[], state: ThreadState, turn: TurnState, entry: Entry): void {
  const turnId = turn.id;
  const { id } = entry;
  if (entry.kind === 'pick-up') {
    rows.push({ kind: 'pick-up', id: `${turnId} ${id}`, turnId, entry });
  } else if (entry.kind === 'call') {
    const subagents = subagentsOf(state.subagents, entry.id);
    addStep(rows, turnId, voiceOf(state, turn), {
      call: entry,
      output: state.outputs.get(entry.callId),
      waits: state.gate?.calls.some((call) => call.call_id === entry.callId) ?? false,
      ...(subagents.length > 0 && { subagents }),
    });
  } else if (entry.role === 'user') {
    rows.push({ kind: 'user', id, turnId, entry, versions: [] });
  } else if (entry.role === 'assistant' && (entry.text !== '' || entry.state === 'streaming')) {
    const by = voiceOf(state, turn);
    rows.push({
      kind: 'answer',
      id,
      turnId,
      entry,
      first: isFirst(rows),
      by,
      newest: false,
      versions: [],
      took: undefined,
    });
  }
}

function addTook(rows: Row[], turn: TurnState, before: TurnState | undefined): void {
  const last = rows.at(-1);
  if (last?.kind !== 'answer' || last.turnId !== turn.id || turn.status === 'running') return;
  rows[rows.length - 1] = { ...last, took: tookOf(turn, before) };
}

/** Arrows are at the last message of a turn's input, and at the last answer to it, which a later turn may have given. */
function placeVersions(rows: Row[], state: ThreadState): void {
  if (state.versions.size === 0) return;
  for (const [index, row] of rows.entries()) {
    const found = row.kind === 'user' && state.versions.get(row.turnId);
    if (!found || row.kind !== 'user') continue;
    const rest = rows.slice(index + 1);
    const end = rest.findIndex(({ kind }) => kind === 'user');
    const next = rest[end];
    if (next?.kind === 'user' && next.turnId === row.turnId) continue;
    const answer = rest.slice(0, end < 0 ? undefined : end).findLast(({ kind }) => kind === 'answer');
    const versions = found.message ? [{ ...found.message, of: 'message' as const }] : [];
    const answers = found.answer ? [{ ...found.answer, of: 'answer' as const }] : [];
    rows[index] = { ...row, versions: answer ? versions : [...versions, ...answers] };
    if (answer?.kind === 'answer') rows[rows.indexOf(answer)] = { ...answer, versions: answers };
  }
}

function markFollowed(rows: Row[]): void {
  for (const [index, row] of rows.entries())
    if (row.kind === 'steps' && rows[index + 1]?.kind === 'answer') rows[index] = { ...row, followed: true };
}

/** Calls in a row stand together. */
function addStep(rows: Row[], turnId: string, by: Voice, step: Step): void {
  const last = rows.at(-1);
  if (last?.kind === 'steps') rows[rows.length - 1] = { ...last, steps: [...last.steps, step] };
  else rows.push({ kind: 'steps', id: step.call.id, turnId, steps: [step], first: isFirst(rows), by, followed: false });
}

function endingOf(turn: TurnState, rows: readonly Row[], state: ThreadState): Row[] {
  const id = `${turn.id} end`;
  if (turn.isRefused) return [{ kind: 'unread', id, text: textToSendAgain(turn) }];
  if (turn.status === 'failed')
    return [{ kind: 'failure', id, turnId: turn.id, failure: turn.failure, asked: askedLast(rows) }];
  if (turn.status === 'cancelled') return [{ kind: 'stopped', id }];
  if (turn.isSteered) return isFirst(rows) ? [] : [{ kind: 'steered', id }];
  const last = turn.entries.at(-1);
  const speaks = last?.kind === 'message' && last.state === 'streaming' && last.text !== '';
  const waits = state.thread?.waits_for_place === true;
  if (turn.status !== 'running' || speaks) return [];
  return [{ kind: 'working', id, turn, asked: askedLast(rows), first: isFirst(rows), by: voiceOf(state, turn), waits }];
}

/** Files and texts by others can't be sent again from here. */
function textToSendAgain({ entries }: TurnState): string | undefined {
  const said = entries.flatMap((entry) => (entry.kind === 'message' && entry.role === 'user' ? entry : []));
  const isOwn = said.every(({ parts }) => parts.every((part) => part.type === 'text' && !isByOthers(part)));
  return !isOwn || said.length === 0 ? undefined : said.map(({ text }) => text).join('\n');
}

function isFirst(rows: readonly Row[]): boolean {
  const last = rows.findLast(({ kind }) => kind !== 'pick-up');
  return last === undefined || ['user', 'stopped', 'steered', 'failure', 'unread'].includes(last.kind);
}

const askedLast = (rows: readonly Row[]) => rows.findLast(({ kind }) => kind === 'user')?.id;
