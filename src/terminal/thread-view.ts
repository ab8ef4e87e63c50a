import type { OpenGate, Spent, Thread } from '@reborn-agent/client/api';
import { tokensInContext, tokensWritten } from '@reborn-agent/client/count-tokens';
import { type FollowedThread, followThread } from '@reborn-agent/client/follow-thread';
import { findRunningTurn, findStoppable } from '@reborn-agent/client/running-turn';
import { sendMessage, sendVersion } from '@reborn-agent/client/send';
import { EMPTY_THREAD, type ThreadState } from '@reborn-agent/client/thread-state';
import type { TurnState } from '@reborn-agent/client/turn-state';
import { anchorNow, createEntryList, type Entry } from './entries.ts';
import type { Attachment } from './files/attached-files.ts';
import { createLocalEntries, type LocalEntries } from './local-entries.ts';
import type { Service } from './service.ts';

export type Usage = Pick<Spent, 'input_tokens' | 'output_tokens' | 'cost_usd'>;

/** The thread on the screen as it is now. */
export type Shown = {
  readonly threadId: string | undefined;
  /** The project in which a new thread begins. */
  readonly project: string | undefined;
  readonly entries: readonly Entry[];
  /** The turn that is running. */
  readonly running: string | undefined;
  /** When it began, as the service says. */
  readonly began: string | undefined;
  /** How many tokens it has written, about. */
  readonly written: number;
  /** The turn that can be stopped: it runs, or waits for an answer. */
  readonly stoppable: string | undefined;
  /** The turn of the last answer. */
  readonly answered: string | undefined;
  /** Set while the turn waits for a place on a replica, or a failed model call is repeated. */
  readonly trouble: string | undefined;
  readonly usage: Usage;
  /** The tokens of the last prompt and its answer. */
  readonly context: number | undefined;
};

/** The thread on the screen: its entries, and the notes of this terminal among them. */
export type ThreadView = {
  now(): Shown;
  send(text: string, how?: SendOptions): Promise<void>;
  note(text: string, tone?: 'plain' | 'failed'): void;
  markAnswered(gate: OpenGate, answer: string): void;
  /** Ticks or unticks a call of a gate. */
  tick(callId: string): void;
  /** Asks the message again, or `text` instead. */
  startVersion(itemId: string, text?: string, model?: string): Promise<void>;
  /** Shows another version of a message: the one of this turn. */
  show(turnId: string): Promise<void>;
  /** Removes a message that waits. */
  withdraw(turnId: string): Promise<void>;
  /** Lets a message that waits be read now. */
  sendNow(turnId: string): Promise<void>;
  /** A new thread. The first message creates it. */
  begin(how?: Beginning): void;
  open(threadId: string): Promise<void>;
  /** Asks how the tools say what their calls do. */
  learnTools(): Promise<void>;
};

type Beginning = { readonly temporary?: boolean; readonly project?: string };

type SendOptions = {
  readonly model?: string | undefined;
  readonly assistant?: string | null | undefined;
  readonly attachments?: readonly Attachment[];
  /** The running step is stopped. */
  readonly now?: boolean;
};

type Options = {
  readonly service: Pick<Service, 'client' | 'socket'>;
  readonly onChange: () => void;
};

const MOST_PAGES = 5;
const NOTIFY_EVERY_MS = 10;
const NO_USAGE: Usage = { input_tokens: 0, output_tokens: 0, cost_usd: '0' };

type State = Options & {
  readonly local: LocalEntries;
  listEntries: ReturnType<typeof createEntryList>;
  followed: FollowedThread | undefined;
  /** Another one for each thread that is opened or begun. */
  view: View;
  /** Shown until the service reports the usage of the thread. */
  usage: Usage;
  /** The newest turn that was accepted, until it is part of the thread. */
  accepted: string | undefined;
  /** The thread as it was when it was last said to be read. */
  read: Thread | undefined;
  /** Derived from all others when it is needed. */
  shown: Shown | undefined;
};

/** In a new thread, the id that the first message brings; nothing if that was refused. */
type View = Beginning & { made?: Promise<string | undefined> };

export function createThreadView(options: Options): ThreadView {
  const state: State = {
    ...options,
    local: createLocalEntries(() => update(state)),
    listEntries: createEntryList(),
    followed: undefined,
    view: {},
    usage: NO_USAGE,
    accepted: undefined,
    read: undefined,
    shown: undefined,
  };
  const { local } = state;
  return {
    now: () => showNow(state),
    send: (text, how) => send(state, text, how),
    note: (text, tone = 'plain') =>
      local.note({ text, tone, anchor: anchorNow(threadOf(state), showNow(state).entries) }),
    markAnswered(gate, answer) {
      state.followed?.gateAnswered(gate.id);
      local.markAnswered(gate, answer);
    },
    tick: (callId) => local.tick(callId),
    startVersion: (itemId, text, model) => startVersion(state, itemId, text, model),
    async show(turnId) {
      await state.followed?.show(turnId);
      update(state);
    },
    withdraw: async (turnId) => state.followed?.withdraw(turnId),
    sendNow: async (turnId) => state.followed?.sendNow(turnId),
    begin: (how) => begin(state, how),
    open: (threadId) => open(state, threadId),
    learnTools: async () => local.learnTools((await state.service.client.call('GET /api/tools')).tools),
  };
}

const threadOf = ({ followed }: State): ThreadState => followed?.snapshot().state ?? EMPTY_THREAD;

function showNow(state: State): Shown {
  state.shown ??= derive(state, threadOf(state));
  return state.shown;
}

function derive({ followed, view, listEntries, local, accepted, usage }: State, thread: ThreadState): Shown {
  const running = findRunningTurn(thread);
  return {
    threadId: followed?.threadId,
    project: view.project,
    entries: listEntries(thread, local.now()),
    running: running?.id ?? accepted,
    began: running?.startedAt,
    written: running ? tokensWritten(running) : 0,
    stoppable: findStoppable(thread) ?? accepted,
    answered: thread.turns.findLast(hasAnswer)?.id,
    trouble: troubleOf(thread, running),
    usage: thread.thread?.usage ?? usage,
    context: tokensInContext(thread),
  };
}

const hasAnswer = ({ entries }: TurnState): boolean =>
  entries.some((entry) => entry.kind === 'message' && entry.role === 'assistant' && entry.state !== 'streaming');

function update(state: State): void {
  state.shown = undefined;
  state.onChange();
}

/** Once the accepted turn was seen, the thread knows whether it runs; later it can be hidden by another version. */
function updateThread(state: State): void {
  const { turns, queued } = threadOf(state);
  const isKnown =
    turns.some(({ id }) => id === state.accepted) || queued.some(({ turn_id: id }) => id === state.accepted);
  if (isKnown) state.accepted = undefined;
  update(state);
}

function follow(state: State, threadId: string): FollowedThread {
  const { client, socket } = state.service;
  const thread = followThread({ client, socket, threadId, notifyEveryMs: NOTIFY_EVERY_MS });
  state.followed = thread;
  thread.subscribe(() => {
    tellRead(state, thread.snapshot().state.thread);
    updateThread(state);
  });
  return thread;
}

/** What the terminal shows counts as read in the browser's list, too. */
function tellRead(state: State, thread: Thread | undefined): void {
  if (!thread?.unread || thread === state.read) return;
  state.read = thread;
  const told = state.service.client.call('PATCH /api/threads/{id}', {
    params: { id: thread.id },
    body: { read: true },
  });
  told.catch(() => {}); // it stays marked in the list until it is opened again
}

function begin(state: State, how: View = {}): void {
  state.followed?.close();
  state.followed = undefined;
  state.view = { ...how };
  state.listEntries = createEntryList();
  state.local.clear();
  state.usage = NO_USAGE;
  state.accepted = undefined;
  update(state);
}

async function open(state: State, threadId: string): Promise<void> {
  const thread = await state.service.client.call('GET /api/threads/{id}', { params: { id: threadId } });
  begin(state);
  state.usage = thread.usage;
  tellRead(state, thread);
  const opened = follow(state, threadId);
  await opened.open();
  for (let pages = 1; pages < MOST_PAGES && opened.snapshot().hasOlder; pages++) await opened.loadOlder();
  const { phase, error } = opened.snapshot();
  if (phase === 'failed') throw error;
}

async function send(state: State, text: string, how: SendOptions = {}): Promise<void> {
  const { model, assistant, attachments = [], now } = how;
  const { view, followed } = state;
  const { made } = view;
  const sending = state.local.whilePending(text, async () => {
    const threadId = followed?.threadId ?? (await made); // a second message belongs to the thread that the first one makes
    const sent = await sendMessage(state.service.client, {
      message: text,
      ...(threadId === undefined ? beginningOf(view) : { thread_id: threadId }),
      ...(model !== undefined && { model }),
      ...(assistant !== undefined && { assistant }),
      ...(attachments.length > 0 && { attachments }),
      ...(now && { when_busy: 'now' }),
    });
    const thread = threadOf(state);
    if (state.view === view && (findRunningTurn(thread) || thread.gate)) await state.followed?.refreshQueue();
    return sent;
  });
  if (!followed) view.made = sending.then(({ thread_id: id }) => id).catch(() => undefined);
  const { thread_id: threadId, turn_id: turnId } = await sending;
  if (state.view !== view) return; // another thread was opened meanwhile
  state.accepted = turnId;
  if (!state.followed) await follow(state, threadId).open();
  updateThread(state);
}

const beginningOf = ({ temporary, project }: View) => ({
  ...(temporary && { temporary }),
  ...(project !== undefined && { project_id: project }),
});

async function startVersion(state: State, itemId: string, text?: string, model?: string): Promise<void> {
  if (!state.followed) return;
  const { threadId } = state.followed;
  const chosen = { ...(text !== undefined && { text }), ...(model !== undefined && { model }) };
  const { turn_id: turnId } = await sendVersion(state.service.client, { threadId, itemId, ...chosen });
  if (state.followed.threadId !== threadId) return; // another thread was opened meanwhile
  state.accepted = turnId;
  updateThread(state);
  await state.followed.turnKnown(turnId);
}

function troubleOf({ thread }: ThreadState, running: TurnState | undefined): string | undefined {
  if (running && thread?.waits_for_place) return 'waiting for a free place';
  return running?.trouble && describeTrouble(running.trouble.next);
}

const describeTrouble = (next: string | undefined) =>
  next === undefined ? 'the model failed, asking again' : `the model failed, asking ${next}`;
