import { randomUUID } from 'node:crypto';
import {
  type Conversation,
  emptyConversation,
  withAnswer,
  withEvent,
  withGate,
  withItems,
  withNote,
  withoutPending,
  withPending,
} from './conversation.ts';
import type { NumberedTurnEvent, ServerMessage, WireGate } from './service/gateway-messages.ts';
import type { Position, ServiceClient } from './service/service-client.ts';

/** The thread that is being looked at: what was said in it, and how it goes on. */
export type ThreadView = {
  now(): Conversation;
  hear(message: ServerMessage): void;
  send(text: string, model?: string): Promise<void>;
  note(text: string, tone?: 'plain' | 'failed'): void;
  markAnswered(gateId: string, answer: string): void;
  /** A new thread, which is made by the first message. */
  begin(): void;
  open(threadId: string): Promise<void>;
};

type Options = {
  readonly client: ServiceClient;
  readonly onChange: (conversation: Conversation) => void;
  readonly onGate: (gate: WireGate) => void;
  readonly onFailure: (error: unknown) => void;
};

const MOST_ITEMS = 1000;
const PENDING_MS = 500;

export function createThreadView({ client, onChange, onGate, onFailure }: Options): ThreadView {
  let conversation = emptyConversation();
  let followed: string | undefined;
  let held: NumberedTurnEvent[] | undefined; // while the thread is being loaded

  function update(next: Conversation): void {
    conversation = next;
    onChange(next);
  }

  function apply(numbered: NumberedTurnEvent): void {
    update(withEvent(conversation, numbered, Date.now()));
    const { event } = numbered;
    if (event.type === 'turn-ended' && event.status === 'waiting') void findGate().catch(onFailure);
  }

  async function findGate(): Promise<void> {
    const { threadId } = conversation;
    const gate = threadId && (await client.findGate(threadId));
    if (gate && threadId === conversation.threadId) openGate(gate);
  }

  /** Shows the message meanwhile, unless it is taken so soon that this would only flicker. */
  async function whilePending<T>(text: string, send: () => Promise<T>): Promise<T> {
    const id = `pending-${randomUUID()}`;
    const showing = setTimeout(() => update(withPending(conversation, id, text)), PENDING_MS);
    try {
      return await send();
    } finally {
      clearTimeout(showing);
      update(withoutPending(conversation, id));
    }
  }

  function openGate(gate: WireGate): void {
    const before = conversation;
    update(withGate(conversation, gate));
    if (conversation !== before) onGate(gate);
  }

  function follow(threadId: string, from?: Position): void {
    followed = threadId;
    client.follow(threadId, () => conversation.last ?? from);
  }

  function begin(): void {
    client.unfollow();
    followed = undefined;
    update(emptyConversation());
  }

  return {
    now: () => conversation,
    hear(message) {
      // The list tells more of a gate than the message does.
      if (message.type === 'gate' && message.gate.thread_id === conversation.threadId) void findGate().catch(onFailure);
      if (message.type !== 'turn-event' || message.thread_id !== conversation.threadId) return;
      if (held) held.push(message);
      else apply(message);
    },
    async send(text, model) {
      const asked = conversation.threadId;
      const { thread_id: threadId, turn_id: turnId } = await whilePending(text, () =>
        client.send({ text, threadId: asked, model }),
      );
      if (conversation.threadId !== asked) return; // another thread was opened meanwhile
      const isTold = conversation.last?.turnId === turnId; // its events may come before this answer, and be over
      update({ ...conversation, threadId, running: isTold ? conversation.running : turnId });
      if (followed !== threadId) follow(threadId, { turnId, sequence: -1 });
    },
    note: (text, tone) => update(withNote(conversation, text, tone)),
    markAnswered: (gateId, answer) => update(withAnswer(conversation, gateId, answer)),
    begin,
    /** Subscribed before the items are read: nothing said in between is missed, and what comes twice is known by its id. */
    async open(threadId) {
      const thread = await client.getThread(threadId);
      begin();
      held = [];
      update(emptyConversation(threadId, thread.usage));
      follow(threadId);
      try {
        const items = await client.listItems(threadId, MOST_ITEMS);
        if (conversation.threadId === threadId) update(withItems(conversation, items));
      } finally {
        const late = held;
        held = undefined;
        for (const event of late) apply(event);
      }
      if (thread.status === 'waiting') await findGate();
    },
  };
}
