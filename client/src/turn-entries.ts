import type { BareItem, ItemPart, ServerMessage, Spent, ThreadItem } from './api.ts';
import { textOf } from './message-text.ts';

export type TurnEventMessage = Extract<ServerMessage, { type: 'turn-event' }>;

export type Entry = MessageEntry | CallEntry | PickUpEntry;

export type MessageEntry = {
  readonly kind: 'message';
  readonly id: string;
  readonly role: 'user' | 'assistant' | 'system' | 'developer';
  readonly parts: readonly ItemPart[];
  readonly text: string;
  readonly state: 'streaming' | 'completed' | 'incomplete';
  readonly usage: Spent | null;
  readonly at: string | undefined;
  readonly attempt: number | null;
  /** The person has trusted what others wrote in it. */
  readonly isVouched?: boolean;
  /** The sources that an answer cites. While it is written, those that it may cite. */
  readonly citations?: Citations | undefined;
};

type Citations = NonNullable<Extract<BareItem, { type: 'message' }>['citations']>;

export type CallEntry = {
  readonly kind: 'call';
  readonly id: string;
  readonly callId: string;
  readonly name: string;
  readonly arguments: string;
  readonly external: boolean;
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  /** How far it is, if its tool says so. */
  readonly progress?: string;
  /** The newest of what it has said while it runs, such as the output of a program. */
  readonly said?: string;
  readonly usage: Spent | null;
  readonly attempt: number | null;
};

/** Where a crash was: how long nothing happened, if this client saw it, and the text that was cut off. */
export type PickUpEntry = {
  readonly kind: 'pick-up';
  readonly id: string;
  readonly gapMs: number | undefined;
  readonly superseded: readonly string[];
};

/** Starts subagents. A turn that waits for them continues with its next attempt, although nothing crashed. */
const AGENT_RUN = 'reborn_agent_run';

/** Whether a call starts a subagent. */
export const startsSubagent = ({ name }: Pick<CallEntry, 'name'>): boolean => name === AGENT_RUN;

export const waitsForSubagents = (entry: Entry | undefined): boolean => entry?.kind === 'call' && startsSubagent(entry);

const NUMBERS_PER_ATTEMPT = 1_000_000;

export const attemptOf = (sequence: number) => Math.floor(sequence / NUMBERS_PER_ATTEMPT);

export function entryOf(item: Exclude<ThreadItem, { type: 'function_call_output' }>): Entry {
  if (item.type === 'message') {
    return {
      kind: 'message',
      id: item.id,
      role: item.role,
      parts: item.content,
      text: textOf(item.content),
      state: item.status,
      usage: item.usage,
      at: item.created_at,
      attempt: item.attempt,
      ...(item.vouched && { isVouched: true }),
      ...(item.citations && { citations: item.citations }),
    };
  }
  return {
    kind: 'call',
    id: item.id,
    callId: item.call_id,
    name: item.name,
    arguments: item.arguments,
    external: item.external,
    startedAt: item.started_at === null ? undefined : Date.parse(item.started_at),
    endedAt: item.ended_at === null ? undefined : Date.parse(item.ended_at),
    usage: item.usage,
    attempt: item.attempt,
  };
}

export function addItem(entries: readonly Entry[], item: BareItem, sequence: number, now: number): readonly Entry[] {
  if (item.type === 'function_call_output' || entries.some(({ id }) => id === item.id)) return entries;
  const attempt = sequence < 0 ? null : attemptOf(sequence);
  if (item.type === 'message') {
    const { id, role, content } = item;
    const text = textOf(content);
    const message = { kind: 'message', id, role, parts: content, text, usage: null, at: undefined, attempt } as const;
    return [...entries, { ...message, ...(item.citations && { citations: item.citations }), state: 'streaming' }];
  }
  const { id, call_id: callId, name, arguments: json, external } = item;
  const call = { kind: 'call', id, callId, name, arguments: json, external, usage: null, attempt } as const;
  return [...entries, { ...call, startedAt: now, endedAt: undefined }];
}

export function changeMessage(entries: readonly Entry[], id: string, delta: string): readonly Entry[] {
  const index = entries.findLastIndex((entry) => entry.id === id);
  const entry = entries[index];
  if (entry?.kind !== 'message' || entry.state !== 'streaming') return entries;
  return entries.with(index, { ...entry, text: entry.text + delta });
}

type ToolProgress = Extract<TurnEventMessage['event'], { type: 'tool-progress' }>;

export function showProgress(entries: readonly Entry[], { item_id: id, ...said }: ToolProgress): readonly Entry[] {
  const index = entries.findLastIndex((entry) => entry.id === id);
  const entry = entries[index];
  if (entry?.kind !== 'call') return entries;
  const part = said.total === null ? String(said.progress) : `${Math.round((100 * said.progress) / said.total)} %`;
  const progress = [part, said.message].filter(Boolean).join(' ');
  return entries.with(index, {
    ...entry,
    progress,
    said: ((entry.said ?? '') + (said.message ?? '')).slice(-MOST_SAID),
  });
}

const MOST_SAID = 4000;

export function finish(entries: readonly Entry[], item: BareItem): readonly Entry[] {
  const index = entries.findLastIndex(({ id }) => id === item.id);
  const entry = entries[index];
  if (item.type !== 'message' || entry?.kind !== 'message') return entries;
  const { content: parts, status: state, citations } = item;
  return entries.with(index, { ...entry, parts, text: textOf(parts), state, citations });
}

/** Moves text that a crash cut off into the mark of that crash. */
export function supersede(entries: readonly Entry[], item: BareItem): readonly Entry[] {
  const rest = entries.filter(({ id }) => id !== item.id);
  const said = item.type === 'message' ? textOf(item.content) : item.type === 'function_call' ? item.name : '';
  const index = rest.findLastIndex(({ kind }) => kind === 'pick-up');
  const line = rest[index];
  if (line?.kind !== 'pick-up' || said === '') return rest;
  return rest.with(index, { ...line, superseded: [...line.superseded, said] });
}

export function closeOpen(entries: readonly Entry[]): readonly Entry[] {
  return entries.map((entry) =>
    entry.kind === 'message' && entry.state === 'streaming' ? { ...entry, state: 'incomplete' } : entry,
  );
}
