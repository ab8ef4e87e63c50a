import type { OpenGate, Spent } from '@reborn-agent/client/api';
import { type FollowedThread, followThread } from '@reborn-agent/client/follow-thread';
import { sendMessage, sendVersion } from '@reborn-agent/client/send';
import { EMPTY_THREAD, findRunningTurn, type ThreadState, type TurnState } from '@reborn-agent/client/thread-state';
import type { Attachment } from './attached-files.ts';
import { anchorNow, createEntryList, type Entry, type Local } from './entries.ts';
import type { Service } from './service.ts';

export type Usage = Pick<Spent, 'input_tokens' | 'output_tokens' | 'cost_usd'>;

/** The thread on the screen as it is now. */
export type Shown = {
  readonly threadId: string | undefined;
  readonly entries: readonly Entry[];
  /** The turn that is running. */
  readonly running: string | undefined;
  /** Set while the turn waits for a place on a replica, or a failed model call is repeated. */
  readonly trouble: string | undefined;
  readonly usage: Usage;
};

/** The thread on the screen: its entries, and the notes of this terminal among them. */
export type ThreadView = {
  now(): Shown;
  send(text: string, model?: string, attachments?: readonly Attachment[]): Promise<void>;
  note(text: string, tone?: 'plain' | 'failed'): void;
  markAnswered(gate: OpenGate, answer: string): void;
  /** Ticks or unticks a call of a gate. */
  tick(callId: string): void;
  /** Asks the message again, with `text` another one in its place. */
  startVersion(itemId: string, text?: string, model?: string): Promise<void>;
  /** Shows another version of a message: the one of this turn. */
  show(turnId: string): Promise<void>;
  /** Removes a message that waits. */
  withdraw(turnId: string): Promise<void>;
  /** A new thread. The first message creates it. */
  begin(): void;
  open(threadId: string): Promise<void>;
};

type Options = {
  readonly service: Pick<Service, 'client' | 'socket'>;
  readonly onChange: () => void;
};

const MOST_PAGES = 5;
const PENDING_MS = 500;
const NOTIFY_EVERY_MS = 10;
const NOTHING: Local = { notes: [], answered: [], unticked: new Set(), pending: [] };
const NO_USAGE: Usage = { input_tokens: 0, output_tokens: 0, cost_usd: '0' };

export function createThreadView({ service, onChange }: Options): ThreadView {
  const { client, socket } = service;
  let listEntries = createEntryList();
  let followed: FollowedThread | undefined;
  let local = NOTHING;
  let usage = NO_USAGE; // until the service reports that of the thread
  let accepted: string | undefined; // the newest turn that was accepted, until it is part of the thread
  let shown: Shown | undefined;
  let ids = 0;

  const stateNow = (): ThreadState => followed?.snapshot().state ?? EMPTY_THREAD;

  function now(): Shown {
    shown ??= derive(stateNow());
    return shown;
  }

  function derive(state: ThreadState): Shown {
    const running = findRunningTurn(state);
    return {
      threadId: followed?.threadId,
      entries: listEntries(state, local),
      running: running?.id ?? accepted,
      trouble: troubleOf(state, running),
      usage: state.thread?.usage ?? usage,
    };
  }

  /** Once it was seen, the thread knows whether it runs; later it can be hidden by another version. */
  function forgetKnown({ turns, queued }: ThreadState): void {
    if (turns.some(({ id }) => id === accepted) || queued.some(({ turn_id: id }) => id === accepted))
      accepted = undefined;
  }

  function update(): void {
    shown = undefined;
    onChange();
  }

  function change(next: Partial<Local>): void {
    local = { ...local, ...next };
    update();
  }

  function follow(threadId: string): FollowedThread {
    const thread = followThread({ client, socket, threadId, notifyEveryMs: NOTIFY_EVERY_MS });
    followed = thread;
    thread.subscribe(() => {
      forgetKnown(stateNow());
      update();
    });
    return thread;
  }

  /** Shows the message meanwhile, unless the service accepts it so soon that it would only flicker. */
  async function whilePending<T>(text: string, send: () => Promise<T>): Promise<T> {
    const id = `pending-${++ids}`;
    const showing = setTimeout(
      () => change({ pending: [...local.pending, { kind: 'said', id, role: 'user', text, state: 'pending' }] }),
      PENDING_MS,
    );
    try {
      return await send();
    } finally {
      clearTimeout(showing);
      change({ pending: local.pending.filter((entry) => entry.id !== id) });
    }
  }

  function begin(): void {
    followed?.close();
    followed = undefined;
    listEntries = createEntryList();
    local = NOTHING;
    usage = NO_USAGE;
    accepted = undefined;
    update();
  }

  return {
    now,
    async send(text, model, attachments = []) {
      const before = followed;
      const { thread_id: threadId, turn_id: turnId } = await whilePending(text, async () => {
        const sent = await sendMessage(client, {
          message: text,
          ...(before && { thread_id: before.threadId }),
          ...(model !== undefined && { model }),
          ...(attachments.length > 0 && { attachments }),
        });
        if (findRunningTurn(stateNow()) || stateNow().gate) await before?.refreshQueue();
        return sent;
      });
      if (followed !== before) return; // another thread was opened meanwhile
      accepted = turnId;
      if (!before) await follow(threadId).open();
      forgetKnown(stateNow());
      update();
    },
    note(text, tone = 'plain') {
      const anchor = anchorNow(stateNow(), now().entries);
      change({ notes: [...local.notes, { kind: 'note', id: `note-${++ids}`, tone, text, anchor }] });
    },
    markAnswered(gate, answer) {
      followed?.gateAnswered(gate.id);
      change({ answered: [...local.answered, { gate, answer }] });
    },
    tick(callId) {
      const unticked = new Set(local.unticked);
      if (!unticked.delete(callId)) unticked.add(callId);
      change({ unticked });
    },
    async startVersion(itemId, text, model) {
      if (!followed) return;
      const { threadId } = followed;
      const chosen = { ...(text !== undefined && { text }), ...(model !== undefined && { model }) };
      const { turn_id: turnId } = await sendVersion(client, { threadId, itemId, ...chosen });
      if (followed.threadId !== threadId) return; // another thread was opened meanwhile
      accepted = turnId;
      forgetKnown(stateNow());
      update();
      await followed.turnKnown(turnId);
    },
    async show(turnId) {
      await followed?.show(turnId);
      update();
    },
    withdraw: async (turnId) => followed?.withdraw(turnId),
    begin,
    async open(threadId) {
      const thread = await client.call('GET /api/threads/{id}', { params: { id: threadId } });
      begin();
      usage = thread.usage;
      const opened = follow(threadId);
      await opened.open();
      for (let pages = 1; pages < MOST_PAGES && opened.snapshot().hasOlder; pages++) await opened.loadOlder();
      const { phase, error } = opened.snapshot();
      if (phase === 'failed') throw error;
    },
  };
}

function troubleOf({ thread }: ThreadState, running: TurnState | undefined): string | undefined {
  if (running && thread?.waits_for_place) return 'waiting for a free place';
  return running?.trouble && describeTrouble(running.trouble.next);
}

const describeTrouble = (next: string | undefined) =>
  next === undefined ? 'the model failed, asking again' : `the model failed, asking ${next}`;
