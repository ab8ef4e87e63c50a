import type {
  BareItem,
  CallDecision,
  ItemPart,
  OpenGate,
  QueuedTurn,
  ServerMessage,
  Spent,
  Thread,
  ThreadItem,
  TreeNode,
  TurnFailure,
  TurnVersions,
} from './api.ts';

export type TurnEventMessage = Extract<ServerMessage, { type: 'turn-event' }>;

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

const NUMBERS_PER_ATTEMPT = 1_000_000;
const attemptOf = (sequence: number) => Math.floor(sequence / NUMBERS_PER_ATTEMPT);

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

/** Whether a message waits until the person has answered the gate. */
export const waitsForAnswer = ({ gate }: Pick<ThreadState, 'gate'>): boolean =>
  gate !== undefined && gate.kind !== 'external-tool';

/** What a waiting message waits for: an answer of the person, the end of the present step, or the turns before it. */
export type WaitsFor = 'answer' | 'step' | 'turn';

/** A service of an older version does not say where a message is. */
export function waitsFor(state: Pick<ThreadState, 'gate'>, { placed }: Partial<Pick<QueuedTurn, 'placed'>>): WaitsFor {
  if (waitsForAnswer(state)) return 'answer';
  return placed?.type === 'steering' ? 'step' : 'turn';
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

/** Whether others wrote a part of this message: it is forwarded or quoted, or a file that is not marked as the person's own. */
export const holdsTextByOthers = ({ role, parts }: Pick<MessageEntry, 'role' | 'parts'>): boolean =>
  parts.some((part) => (part.type === 'text' ? isByOthers(part) : role === 'user' && part.origin !== 'own'));

/** Whether the thread, as far as it is loaded, has read text by others that the person has not trusted. */
export const hasReadOthers = ({ turns, outputs }: ThreadState): boolean =>
  [...outputs.values()].some(({ reads, isVouched }) => reads?.foreign && !isVouched) ||
  turns.some(({ entries }) =>
    entries.some((entry) => entry.kind === 'message' && !entry.isVouched && holdsTextByOthers(entry)),
  );

/** The id of the first message of the first loaded turn that has read text by others: all before it is clean. */
export function firstAfterClean({ turns, outputs }: ThreadState): string | undefined {
  const turn = turns.find(({ entries }) =>
    entries.some((entry) => {
      if (entry.kind === 'message') return !entry.isVouched && holdsTextByOthers(entry);
      const output = entry.kind === 'call' ? outputs.get(entry.callId) : undefined;
      return output?.reads?.foreign && !output.isVouched;
    }),
  );
  return turn?.entries.find((entry) => entry.kind === 'message')?.id;
}

/** Where a subscription continues: after the newest event, or from the start of the newest turn. */
export function positionOf(state: ThreadState): { turn_id: string; sequence?: number } | undefined {
  const newest = state.turns.at(-1);
  if (!newest) return undefined;
  return { turn_id: newest.id, ...(newest.sequence !== undefined && { sequence: newest.sequence }) };
}

/** How many tokens the last prompt and its answer had. */
export function tokensInContext({ turns }: Pick<ThreadState, 'turns'>): number | undefined {
  for (const turn of turns.toReversed()) {
    const entry = turn.entries.findLast((candidate) => candidate.kind !== 'pick-up' && candidate.usage !== null);
    if (entry && entry.kind !== 'pick-up' && entry.usage) return entry.usage.input_tokens + entry.usage.output_tokens;
  }
  return undefined;
}

const LETTERS_PER_TOKEN = 4;

/** About how many tokens the model has written in a turn: its provider counts them only afterwards. */
export function tokensWritten({ entries }: TurnState): number {
  const letters = entries.map((entry) => {
    if (entry.kind === 'message') return entry.role === 'assistant' ? entry.text.length : 0;
    return entry.kind === 'call' ? entry.arguments.length : 0;
  });
  return Math.ceil(letters.reduce((sum, count) => sum + count, 0) / LETTERS_PER_TOKEN);
}

/** The turn that is running. */
export function findRunningTurn(state: ThreadState): TurnState | undefined {
  return state.turns.findLast((turn) => turn.status === 'running');
}

/** The turn that a person can stop: the one that runs, or the one that waits for their answer. */
export function findStoppable(state: ThreadState): string | undefined {
  return findRunningTurn(state)?.id ?? (waitsForAnswer(state) ? state.gate?.turn_id : undefined);
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

const NEW_TURN: TurnState = {
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
function placeItems(turn: TurnState, items: readonly ThreadItem[]): TurnState {
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

/** Starts subagents. A turn that waits for them continues with its next attempt, although nothing crashed. */
const AGENT_RUN = 'reborn_agent_run';

const waitsForSubagents = (entry: Entry | undefined): boolean => entry?.kind === 'call' && startsSubagent(entry);

/** Whether a call starts a subagent. */
export const startsSubagent = ({ name }: Pick<CallEntry, 'name'>): boolean => name === AGENT_RUN;

/** Whether the thread, as far as it is loaded, has started subagents. */
export const hasSubagents = ({ turns }: Pick<ThreadState, 'turns'>): boolean =>
  turns.some(({ entries }) => entries.some(waitsForSubagents));

/** An event of a later attempt means that the turn was started again after a crash, unless it waited for subagents. */
function pickedUp(turn: TurnState, { sequence, event }: TurnEventMessage, now: number): TurnState {
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

function follow(turn: TurnState, { event, sequence }: TurnEventMessage, now: number): TurnState {
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

function addItem(entries: readonly Entry[], item: BareItem, sequence: number, now: number): readonly Entry[] {
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

function changeMessage(entries: readonly Entry[], id: string, delta: string): readonly Entry[] {
  const index = entries.findLastIndex((entry) => entry.id === id);
  const entry = entries[index];
  if (entry?.kind !== 'message' || entry.state !== 'streaming') return entries;
  return entries.with(index, { ...entry, text: entry.text + delta });
}

type ToolProgress = Extract<TurnEventMessage['event'], { type: 'tool-progress' }>;

function showProgress(entries: readonly Entry[], { item_id: id, ...said }: ToolProgress): readonly Entry[] {
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

function finish(entries: readonly Entry[], item: BareItem): readonly Entry[] {
  const index = entries.findLastIndex(({ id }) => id === item.id);
  const entry = entries[index];
  if (item.type !== 'message' || entry?.kind !== 'message') return entries;
  const { content: parts, status: state, citations } = item;
  return entries.with(index, { ...entry, parts, text: textOf(parts), state, citations });
}

/** Moves text that a crash cut off into the mark of that crash. */
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
  if (status === 'failed' || status === 'cancelled' || status === 'waiting' || status === 'incomplete') return status;
  return 'ended';
}

/** The text of a message or an output. Text by others is separated from the sender's. */
export function textOf(parts: readonly ItemPart[]): string {
  return parts.map((part, index) => (part.type === 'text' ? gapBefore(parts, index) + part.text : '')).join('');
}

/** What a part begins with: an empty line between what the sender wrote and what others did. */
export function gapBefore(parts: readonly ItemPart[], index: number): string {
  const before = parts.slice(0, index).findLast(({ type }) => type === 'text');
  return before && [parts[index], before].some((part) => part && isByOthers(part)) ? '\n\n' : '';
}

/** The words of a message that its sender wrote: what they change when they edit it. */
export const ownTextOf = (parts: readonly ItemPart[]): string => textOf(parts.filter((part) => !isByOthers(part)));

export const isByOthers = (part: ItemPart): boolean => part.type === 'text' && part.origin === 'others';
