import {
  type NumberedTurnEvent,
  textOf,
  type WireGate,
  type WireItem,
  type WireUsage,
} from './service/gateway-messages.ts';

/** What stands on the screen, from top to bottom. An entry that changes is replaced, so that its lines can be kept. */
export type Entry =
  | {
      readonly kind: 'said';
      readonly id: string;
      readonly role: 'user' | 'assistant';
      readonly text: string;
      /** `pending`: the service has yet to take it. `superseded`: a crash broke it off, and the next attempt said it anew. */
      readonly state: 'pending' | 'streaming' | 'done' | 'superseded';
    }
  | {
      readonly kind: 'tool';
      readonly id: string;
      readonly callId: string;
      readonly name: string;
      readonly arguments: string;
      /** How it stands with a call that has no output: `stopped` when its turn is over. */
      readonly state: 'running' | 'waiting' | 'stopped';
      readonly output: string | undefined;
      readonly began: number;
      readonly ended: number | undefined;
    }
  | { readonly kind: 'gate'; readonly id: string; readonly gate: WireGate; readonly answer: string | undefined }
  | { readonly kind: 'note'; readonly id: string; readonly tone: 'plain' | 'failed'; readonly text: string };

export type Conversation = {
  readonly threadId: string | undefined;
  readonly entries: readonly Entry[];
  /** The turn that runs now. */
  readonly running: string | undefined;
  /** The running turn's model failed and is asked again: what happens now, in words. */
  readonly trouble: string | undefined;
  readonly usage: WireUsage;
  /** The newest event of the newest turn: what a reconnect goes on from. */
  readonly last: { readonly turnId: string; readonly sequence: number } | undefined;
};

const NO_USAGE: WireUsage = { input_tokens: 0, output_tokens: 0, cost_usd: '0' };

export const emptyConversation = (threadId?: string, usage: WireUsage = NO_USAGE): Conversation => ({
  threadId,
  entries: [],
  running: undefined,
  trouble: undefined,
  usage,
  last: undefined,
});

/** A stored thread, as far as it was loaded. */
export function withItems(conversation: Conversation, items: readonly WireItem[]): Conversation {
  return items.reduce((soFar, item) => putItem(soFar, item, false), conversation);
}

/** What the conversation becomes by one event. One that was seen before changes nothing, so that no text is doubled. */
export function withEvent(conversation: Conversation, numbered: NumberedTurnEvent, now: number): Conversation {
  const { turn_id: turnId, sequence, event } = numbered;
  const { last } = conversation;
  if (last?.turnId === turnId && sequence <= last.sequence) return conversation;

  const told: Conversation = { ...conversation, trouble: undefined, last: { turnId, sequence } };
  switch (event.type) {
    case 'turn-started':
      return withItems({ ...told, running: turnId }, event.items);
    case 'item-added':
      return putItem({ ...told, running: turnId }, event.item, true, now);
    case 'text-delta':
      return change(told, event.item_id, (entry) =>
        entry.kind === 'said' && entry.state === 'streaming' ? { ...entry, text: entry.text + event.delta } : entry,
      );
    case 'item-done':
      return event.written ? putItem(told, event.item, false, now) : supersede(told, event.item.id);
    case 'model-failed':
      return { ...told, running: turnId, trouble: troubleOf(event.model, event.next) };
    case 'turn-ended':
      return endTurn(told, turnId, event.status, event.failure?.message, event.usage);
  }
}

const troubleOf = (model: string, next: string) =>
  next === model ? 'the model failed, asking again' : `the model failed, asking ${next}`;

/** A message that the service has not taken yet, and which is gone again once it has. */
export function withPending(conversation: Conversation, id: string, text: string): Conversation {
  return add(conversation, { kind: 'said', id, role: 'user', text, state: 'pending' });
}

export function withoutPending(conversation: Conversation, id: string): Conversation {
  return { ...conversation, entries: conversation.entries.filter((entry) => entry.id !== id) };
}

export function withGate(conversation: Conversation, gate: WireGate): Conversation {
  if (conversation.entries.some((entry) => entry.id === gate.id)) return conversation;
  return add(withCallState(conversation, gate, 'waiting'), { kind: 'gate', id: gate.id, gate, answer: undefined });
}

export function withAnswer(conversation: Conversation, gateId: string, answer: string): Conversation {
  const answered = conversation.entries.find((entry) => entry.id === gateId);
  if (answered?.kind !== 'gate') return conversation;
  return change(withCallState(conversation, answered.gate, 'running'), gateId, () => ({ ...answered, answer }));
}

function withCallState(conversation: Conversation, { call }: WireGate, state: 'running' | 'waiting'): Conversation {
  const entry = conversation.entries.findLast((each) => each.kind === 'tool' && each.callId === call.call_id);
  return entry?.kind === 'tool' ? change(conversation, entry.id, () => ({ ...entry, state })) : conversation;
}

let notes = 0;

export function withNote(conversation: Conversation, text: string, tone: 'plain' | 'failed' = 'plain'): Conversation {
  return add(conversation, { kind: 'note', id: `note-${++notes}`, tone, text });
}

/** The gate that waits for an answer, if one does. */
export function findOpenGate({ entries }: Conversation): WireGate | undefined {
  const found = entries.findLast((entry) => entry.kind === 'gate' && entry.answer === undefined);
  return found?.kind === 'gate' ? found.gate : undefined;
}

function putItem(conversation: Conversation, item: WireItem, begun: boolean, now?: number): Conversation {
  switch (item.type) {
    case 'message': {
      if (item.role !== 'user' && item.role !== 'assistant') return conversation;
      const state = begun ? 'streaming' : 'done';
      return put(conversation, { kind: 'said', id: item.id, role: item.role, text: textOf(item.content), state });
    }
    case 'function_call': {
      const began = timeOf(item.started_at) ?? now ?? 0;
      const { id, call_id: callId, name, arguments: json } = item;
      const state = begun ? 'running' : 'stopped';
      const known = conversation.entries.find((entry) => entry.id === id);
      if (known?.kind === 'tool') return begun ? change(conversation, id, () => ({ ...known, state })) : conversation;
      return add(conversation, {
        kind: 'tool',
        id,
        callId,
        name,
        arguments: json,
        state,
        output: undefined,
        began,
        ended: timeOf(item.ended_at),
      });
    }
    case 'function_call_output': {
      const call = conversation.entries.findLast((entry) => entry.kind === 'tool' && entry.callId === item.call_id);
      if (!call) return conversation;
      return change(conversation, call.id, (entry) =>
        entry.kind === 'tool' && entry.output === undefined
          ? { ...entry, output: textOf(item.output), ended: entry.ended ?? now ?? entry.began }
          : entry,
      );
    }
  }
}

function put(conversation: Conversation, entry: Extract<Entry, { kind: 'said' }>): Conversation {
  const known = conversation.entries.find(({ id }) => id === entry.id);
  if (!known) return add(conversation, entry);
  // What is done stays so: a replay tells of it again from its empty beginning.
  if (known.kind === 'said' && known.state === 'done') return conversation;
  return change(conversation, entry.id, () => entry);
}

function supersede(conversation: Conversation, id: string): Conversation {
  return change(conversation, id, (entry) => (entry.kind === 'said' ? { ...entry, state: 'superseded' } : entry));
}

function endTurn(
  conversation: Conversation,
  turnId: string,
  status: string,
  failure: string | undefined,
  usage: WireUsage,
): Conversation {
  const ended: Conversation = {
    ...conversation,
    running: conversation.running === turnId ? undefined : conversation.running,
    usage: addUsage(conversation.usage, usage),
    entries: conversation.entries.map(settle),
  };
  if (status === 'failed') return withNote(ended, failure ?? 'The turn failed.', 'failed');
  if (status === 'cancelled') return withNote(ended, 'Cancelled.');
  if (status === 'incomplete') return withNote(ended, "The answer was cut short by the model's limit.");
  return ended;
}

/** What an entry is once its turn is over. */
function settle(entry: Entry): Entry {
  if (entry.kind === 'said' && entry.state === 'streaming') return { ...entry, state: 'done' };
  if (entry.kind === 'tool' && entry.state === 'running' && entry.output === undefined)
    return { ...entry, state: 'stopped' };
  return entry;
}

function addUsage(before: WireUsage, more: WireUsage): WireUsage {
  return {
    input_tokens: before.input_tokens + more.input_tokens,
    output_tokens: before.output_tokens + more.output_tokens,
    cost_usd:
      before.cost_usd === null || more.cost_usd === null
        ? null
        : String(Number(before.cost_usd) + Number(more.cost_usd)),
  };
}

const add = (conversation: Conversation, entry: Entry): Conversation => ({
  ...conversation,
  entries: [...conversation.entries, entry],
});

/** Looked for from the end, where changes happen. */
function change(conversation: Conversation, id: string, act: (entry: Entry) => Entry): Conversation {
  const index = conversation.entries.findLastIndex((entry) => entry.id === id);
  const entry = conversation.entries[index];
  if (!entry) return conversation;
  return { ...conversation, entries: conversation.entries.with(index, act(entry)) };
}

const timeOf = (time: string | null | undefined) => (time ? Date.parse(time) : undefined);
