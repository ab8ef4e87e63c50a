import type { ItemPart, OpenGate, ServerMessage, Spent, ThreadItem } from '@reborn-agent/client/api';

type TurnEventMessage = Extract<ServerMessage, { type: 'turn-event' }>;

/** What is known of a thread: its turns in order. Nothing in it is ever changed in place. */
export type ThreadLog = {
  readonly turns: readonly TurnLog[];
  /** By the id of the call: one that waited at a gate is answered in a later turn. */
  readonly outputs: ReadonlyMap<string, Output>;
  readonly gate: OpenGate | undefined;
};

export type Output = { readonly parts: readonly ItemPart[]; readonly at: number };

export type TurnStatus = 'unknown' | 'running' | 'ended' | 'waiting' | 'failed' | 'cancelled';

export type TurnLog = {
  readonly id: string;
  readonly seq: number;
  readonly status: TurnStatus;
  readonly failure: string | undefined;
  /** Its model failed and is asked again. */
  readonly trouble: Trouble | undefined;
  readonly entries: readonly Entry[];
  /** The number of the newest event, and when it came. */
  readonly sequence: number | undefined;
  readonly heardAt: number | undefined;
  readonly startedAt: string | undefined;
};

/** What a model said when it failed, and when the next call is due by this page's clock. */
export type Trouble = { readonly message: string; readonly next: string | undefined; readonly dueAt: number };

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
};

export type CallEntry = {
  readonly kind: 'call';
  readonly id: string;
  readonly callId: string;
  readonly name: string;
  readonly arguments: string;
  readonly external: boolean;
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  readonly usage: Spent | null;
  readonly attempt: number | null;
};

/** Where a crash was: how long nothing happened, if this page saw it, and what was half said before. */
export type PickUpEntry = {
  readonly kind: 'pick-up';
  readonly id: string;
  readonly gapMs: number | undefined;
  readonly superseded: readonly string[];
};

export const EMPTY_LOG: ThreadLog = { turns: [], outputs: new Map(), gate: undefined };

const NUMBERS_PER_ATTEMPT = 1_000_000;
const attemptOf = (sequence: number) => Math.floor(sequence / NUMBERS_PER_ATTEMPT);

/** Takes in items as they stand in the thread: a page of its past. */
export function withItems(log: ThreadLog, items: readonly ThreadItem[]): ThreadLog {
  const byTurn = Map.groupBy(items, (item) => item.turn_id);
  let next = withOutputs(log, items);
  for (const [id, own] of byTurn) next = changeTurn(next, id, own[0]?.turn_seq ?? 0, (turn) => placeItems(turn, own));
  return next;
}

/** Takes in one event of a turn. One that is known already changes nothing. */
export function withEvent(log: ThreadLog, message: TurnEventMessage, now: number): ThreadLog {
  const { turn_id: id, sequence, event } = message;
  const known = log.turns.find((turn) => turn.id === id);
  if (known?.sequence !== undefined && sequence <= known.sequence) return log;
  const seq = event.type === 'turn-started' ? event.seq : (known?.seq ?? Number.MAX_SAFE_INTEGER);
  const changed = changeTurn(withOutputs(log, itemsOf(event), now), id, seq, (turn) => ({
    ...follow({ ...pickedUp(turn, sequence, now), trouble: undefined }, message, now),
    sequence,
    heardAt: now,
  }));
  return event.type === 'turn-started' && log.gate && log.gate.turn_id !== id
    ? { ...changed, gate: undefined }
    : changed;
}

export const withGate = (log: ThreadLog, gate: OpenGate | undefined): ThreadLog => ({ ...log, gate });

/** Where a subscription goes on: after the newest event, or from the start of the newest turn. */
export function positionOf(log: ThreadLog): { turn_id: string; sequence?: number } | undefined {
  const newest = log.turns.at(-1);
  if (!newest) return undefined;
  return { turn_id: newest.id, ...(newest.sequence !== undefined && { sequence: newest.sequence }) };
}

function changeTurn(log: ThreadLog, id: string, seq: number, change: (turn: TurnLog) => TurnLog): ThreadLog {
  const index = log.turns.findIndex((turn) => turn.id === id);
  const found = log.turns[index];
  if (found) {
    const turn = change(found);
    return {
      ...log,
      turns: log.turns.with(index, turn.seq === seq ? turn : { ...turn, seq: Math.min(turn.seq, seq) }),
    };
  }
  const turns = [...log.turns, change({ ...NEW_TURN, id, seq })].toSorted((one, other) => one.seq - other.seq);
  return { ...log, turns };
}

const NEW_TURN: TurnLog = {
  id: '',
  seq: 0,
  status: 'unknown',
  failure: undefined,
  trouble: undefined,
  entries: [],
  sequence: undefined,
  heardAt: undefined,
  startedAt: undefined,
};

/** A page may begin in the middle of a turn, so what stands is put before what events told of. */
function placeItems(turn: TurnLog, items: readonly ThreadItem[]): TurnLog {
  let entries = turn.entries;
  const older: Entry[] = [];
  for (const item of items) {
    if (item.type === 'function_call_output') continue;
    const index = entries.findIndex(({ id }) => id === item.id);
    if (index < 0) older.push(entryOf(item));
    else entries = entries.with(index, entryOf(item));
  }
  return { ...turn, entries: withPickUps([...older, ...entries]) };
}

function withOutputs(log: ThreadLog, items: readonly (ThreadItem | BareItem)[], now = 0): ThreadLog {
  const fresh = items.filter((item) => item.type === 'function_call_output' && !log.outputs.has(item.call_id));
  if (fresh.length === 0) return log;
  const outputs = new Map(log.outputs);
  for (const item of fresh) {
    if (item.type !== 'function_call_output') continue;
    outputs.set(item.call_id, { parts: item.output, at: 'created_at' in item ? Date.parse(item.created_at) : now });
  }
  return { ...log, outputs };
}

function itemsOf(event: TurnEventMessage['event']): readonly (ThreadItem | BareItem)[] {
  if (event.type === 'turn-started') return event.items;
  return event.type === 'item-added' || event.type === 'item-done' ? [event.item] : [];
}

function entryOf(item: Exclude<ThreadItem, { type: 'function_call_output' }>): Entry {
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

/** Items of a later attempt among those of an earlier one: there was a crash between them. */
function withPickUps(entries: readonly Entry[]): readonly Entry[] {
  const placed: Entry[] = [];
  let attempt: number | null = null;
  for (const entry of entries) {
    const own = entry.kind === 'pick-up' ? null : entry.attempt;
    const isLater = own !== null && attempt !== null && own > attempt;
    if (isLater && placed.at(-1)?.kind !== 'pick-up' && !entries.some((other) => other.id === `pick-up ${own}`))
      placed.push({ kind: 'pick-up', id: `pick-up ${own}`, gapMs: undefined, superseded: [] });
    if (own !== null) attempt = own;
    placed.push(entry);
  }
  return placed;
}

/** A number of a later attempt means that the turn was begun again, by whoever took it over. */
function pickedUp(turn: TurnLog, sequence: number, now: number): TurnLog {
  const { sequence: last, heardAt } = turn;
  if (last === undefined || last < 0 || attemptOf(sequence) <= attemptOf(last)) return turn;
  const id = `pick-up ${attemptOf(sequence)}`;
  if (turn.entries.some((entry) => entry.id === id)) return turn;
  // What is replayed comes at once, so its gap tells nothing.
  const gap = heardAt === undefined ? undefined : now - heardAt;
  const entry: PickUpEntry = {
    kind: 'pick-up',
    id,
    gapMs: gap !== undefined && gap > 50 ? gap : undefined,
    superseded: [],
  };
  return { ...turn, entries: [...turn.entries, entry] };
}

function follow(turn: TurnLog, { event, sequence }: TurnEventMessage, now: number): TurnLog {
  switch (event.type) {
    case 'turn-started':
      return { ...placeItems(turn, event.items), status: 'running', seq: event.seq, startedAt: event.created_at };
    case 'item-added':
      return { ...turn, status: 'running', entries: addItem(turn.entries, event.item, sequence, now) };
    case 'text-delta':
      return { ...turn, entries: changeMessage(turn.entries, event.item_id, event.delta) };
    case 'item-done':
      if (!event.written) return { ...turn, entries: supersede(turn.entries, event.item) };
      return { ...turn, entries: finish(turn.entries, event.item) };
    case 'model-failed': {
      const { message, model, next, wait_ms: waitMs } = event;
      const trouble = { message, next: next === model ? undefined : next, dueAt: now + waitMs };
      return { ...turn, status: 'running', trouble };
    }
    case 'turn-ended':
      return {
        ...turn,
        status: endOf(event.status),
        failure: event.failure?.message,
        entries: closeOpen(turn.entries),
      };
  }
}

type BareItem = Extract<TurnEventMessage['event'], { type: 'item-added' }>['item'];

function addItem(entries: readonly Entry[], item: BareItem, sequence: number, now: number): readonly Entry[] {
  if (item.type === 'function_call_output' || entries.some(({ id }) => id === item.id)) return entries;
  const attempt = sequence < 0 ? null : attemptOf(sequence);
  if (item.type === 'message') {
    const { id, role, content } = item;
    const text = textOf(content);
    const message = { kind: 'message', id, role, parts: content, text, usage: null, at: undefined, attempt } as const;
    return [...entries, { ...message, state: 'streaming' }];
  }
  const { id, call_id: callId, name, arguments: json, external } = item;
  const call = { kind: 'call', id, callId, name, arguments: json, external, usage: null, attempt } as const;
  return [...entries, { ...call, startedAt: now, endedAt: undefined }];
}

function changeMessage(entries: readonly Entry[], id: string, delta: string): readonly Entry[] {
  const index = entries.findLastIndex((entry) => entry.id === id);
  const entry = entries[index];
  if (entry?.kind !== 'message' || entry.state !== 'streaming') return entries;
  return entries.with(index, { ...entry, text: entry.text + delta });
}

function finish(entries: readonly Entry[], item: BareItem): readonly Entry[] {
  const index = entries.findLastIndex(({ id }) => id === item.id);
  const entry = entries[index];
  if (item.type !== 'message' || entry?.kind !== 'message') return entries;
  return entries.with(index, { ...entry, parts: item.content, text: textOf(item.content), state: item.status });
}

/** What a crash left half said leaves the flow, and is kept under the line that tells of the crash. */
function supersede(entries: readonly Entry[], item: BareItem): readonly Entry[] {
  const rest = entries.filter(({ id }) => id !== item.id);
  const said = item.type === 'message' ? textOf(item.content) : item.type === 'function_call' ? item.name : '';
  const index = rest.findLastIndex(({ kind }) => kind === 'pick-up');
  const line = rest[index];
  if (line?.kind !== 'pick-up' || said === '') return rest;
  return rest.with(index, { ...line, superseded: [...line.superseded, said] });
}

function closeOpen(entries: readonly Entry[]): readonly Entry[] {
  return entries.map((entry) =>
    entry.kind === 'message' && entry.state === 'streaming' ? { ...entry, state: 'incomplete' } : entry,
  );
}

function endOf(status: string): TurnStatus {
  if (status === 'failed' || status === 'cancelled' || status === 'waiting') return status;
  return 'ended';
}

export function textOf(parts: readonly ItemPart[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
