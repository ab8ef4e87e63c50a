import type { GateAnswer, OpenGate } from '@reborn-agent/client/api';
import type { FollowedThread } from '@reborn-agent/client/follow-thread';
import { sendMessage, sendVersion } from '@reborn-agent/client/send';
import type { MessageEntry } from '@reborn-agent/client/thread-state';
import { useNavigate } from '@tanstack/react-router';
import { createContext, use, useState } from 'react';
import { client } from '../client/client.ts';

/** What a row of the transcript can do. */
export type Actions = {
  readonly inspect: (turnId: string) => void;
  /** Whether the thread can show another version now: nothing runs, and nothing waits. */
  readonly isIdle: boolean;
  /** The message that is being edited, and how to begin and end that. */
  readonly editing: string | undefined;
  readonly setEditing: (itemId: string | undefined) => void;
  /** Asks something else in place of a message. */
  readonly edit: (entry: MessageEntry, text: string) => Promise<void>;
  /** Asks the message that led to this item again. */
  readonly askAgain: (itemId: string) => void;
  /** Sends the text of a message that no model has read. */
  readonly sendAgain: (text: string) => void;
  /** Shows another version of a message. */
  readonly show: (turnId: string) => void;
  /** A new thread with what was said before the message, and the message as it is now. */
  readonly fork: (entry: MessageEntry, text: string) => Promise<void>;
  /** A new thread with what was said before the thread has read text by others. */
  readonly startClean: (beforeItemId: string) => void;
  /** Withdraws a message that waits; with `text`, to edit it in the composer. */
  readonly withdraw: (turnId: string, text?: string) => Promise<void>;
  /** Lets a message that waits be read now. */
  readonly sendNow: (turnId: string) => Promise<void>;
  /** The person has read a message or an output, and trusts it. */
  readonly vouch: (itemId: string) => Promise<void>;
  readonly answerGate: (gate: OpenGate, answer: GateAnswer) => Promise<void>;
  /** Where the service has an image of a message that is on another host. */
  readonly imagePath: (itemId: string, url: string) => string;
  readonly problem: unknown;
};

export const ChatActions = createContext<Actions | undefined>(undefined);

export function useActions(): Actions {
  const actions = use(ChatActions);
  if (!actions) throw new Error('A row is shown outside of a thread.');
  return actions;
}

export function useChatActions(parts: {
  readonly threadId: string;
  readonly followed: FollowedThread;
  readonly isIdle: boolean;
  /** The model that was chosen for what is sent next, if any. */
  readonly model: string | undefined;
  readonly inspect: (turnId: string) => void;
  readonly compose: (text: string) => void;
}): Actions {
  const { threadId, followed, isIdle, model, inspect, compose } = parts;
  const navigate = useNavigate();
  const [problem, setProblem] = useState<unknown>();
  const [editing, setEditing] = useState<string>();
  const attempt = async (work: () => Promise<void>) => {
    setProblem(undefined);
    await work().catch(setProblem);
  };
  async function startVersion(itemId: string, text?: string): Promise<void> {
    const chosen = { ...(text !== undefined && { text }), ...(model !== undefined && { model }) };
    const { turn_id: turnId } = await sendVersion(client, { threadId, itemId, ...chosen });
    await followed.turnKnown(turnId);
  }
  return {
    inspect,
    problem,
    imagePath: (itemId, url) => `/api/threads/${threadId}/items/${itemId}/image?url=${encodeURIComponent(url)}`,
    isIdle,
    editing,
    setEditing,
    edit: (entry, text) => attempt(() => startVersion(entry.id, text)),
    askAgain: (itemId) => void attempt(() => startVersion(itemId)),
    sendAgain: (message) =>
      void attempt(async () => {
        const chosen = model !== undefined && { model };
        await followed.turnKnown((await sendMessage(client, { message, thread_id: threadId, ...chosen })).turn_id);
      }),
    show: (turnId) => void attempt(() => followed.show(turnId)),
    fork: (entry, text) =>
      attempt(async () => {
        const fork = await client.call('POST /api/threads/{id}/fork', {
          params: { id: threadId },
          body: { before_item_id: entry.id },
        });
        await sendMessage(client, { message: text, thread_id: fork.id });
        await navigate({ to: '/threads/$threadId', params: { threadId: fork.id } });
      }),
    startClean: (beforeItemId) =>
      void attempt(async () => {
        const body = { before_item_id: beforeItemId };
        const fork = await client.call('POST /api/threads/{id}/fork', { params: { id: threadId }, body });
        await navigate({ to: '/threads/$threadId', params: { threadId: fork.id } });
      }),
    withdraw: (turnId, text) =>
      attempt(async () => {
        await followed.withdraw(turnId);
        if (text !== undefined) compose(text);
      }),
    sendNow: (turnId) => attempt(() => followed.sendNow(turnId)),
    vouch: (itemId) => attempt(() => followed.vouch(itemId)),
    answerGate: (gate, answer) =>
      attempt(async () => {
        await client.call('POST /api/gates/{id}', { params: { id: gate.id }, body: answer });
        followed.gateAnswered(gate.id);
      }),
  };
}
