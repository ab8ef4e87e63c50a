import type { GateAnswer, OpenGate } from '@reborn-agent/client/api';
import type { FollowedThread } from '@reborn-agent/client/follow-thread';
import type { MessageEntry } from '@reborn-agent/client/turn-entries';
import { useNavigate } from '@tanstack/react-router';
import { createContext, use, useState } from 'react';
import { client } from '../client/client.ts';
import { sendMessage, sendVersion } from '../client/send.ts';
import { noteBegun } from './begun-turns.ts';

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
  /** Asks the message that led to this item again; `another`: another model than the chosen one. */
  readonly askAgain: (itemId: string, another?: string) => void;
  /** Asks the message that led to this item again, after a summary of what was said before. */
  readonly askShorter: (itemId: string) => void;
  /** Stops the turn, and asks again what it was asked. */
  readonly stopAndAsk: (turnId: string, itemId: string, another?: string) => void;
  /** The model that answers next. */
  readonly answering: string | null;
  /** Sends the text of a message that no model has read. */
  readonly sendAgain: (text: string) => void;
  /** Shows another version of a message. */
  readonly show: (turnId: string) => void;
  /** A new thread with what was said before the message, and the message as it is now. */
  readonly fork: (entry: MessageEntry, text: string) => Promise<void>;
  /** A new thread with all that was said up to this answer. */
  readonly branch: (itemId: string) => void;
  /** A new thread with what was said before the thread has read text by others. */
  readonly startClean: (beforeItemId: string) => void;
  /** Withdraws a message that waits; with `text`, to edit it in the composer. */
  readonly withdraw: (turnId: string, text?: string) => Promise<void>;
  /** Lets a message that waits be read now. */
  readonly sendNow: (turnId: string) => Promise<void>;
  /** The person has read a message or an output, and trusts it. */
  readonly vouch: (itemId: string) => Promise<void>;
  /** Denies what waits, for the reason that a message gives. The message is not sent. */
  readonly denyWith: (gate: OpenGate, turnId: string, reason: string) => Promise<void>;
  readonly answerGate: (gate: OpenGate, answer: GateAnswer) => Promise<void>;
  /** Stops the subagent of a call, and all below it. */
  readonly stopSubagent: (call: string) => Promise<void>;
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
  /** The model that answers next, also if none was chosen. */
  readonly answering: string | null;
  readonly stop: (turnId: string) => void;
  readonly inspect: (turnId: string) => void;
  readonly compose: (text: string) => void;
}): Actions {
  const { threadId, followed, isIdle, model, answering, stop, inspect, compose } = parts;
  const navigate = useNavigate();
  const [problem, setProblem] = useState<unknown>();
  const [editing, setEditing] = useState<string>();
  const attempt = async (work: () => Promise<void>) => {
    setProblem(undefined);
    await work().catch(setProblem);
  };
  async function startVersion(itemId: string, text?: string, by = model): Promise<void> {
    const chosen = { ...(text !== undefined && { text }), ...(by !== undefined && { model: by }) };
    const { turn_id: turnId } = await sendVersion({ threadId, itemId, ...chosen });
    await followed.turnKnown(turnId);
  }
  /** A copy of what is before an item, or of all, and the way there. */
  async function forkBefore(itemId: string | undefined): Promise<void> {
    const body = itemId === undefined ? {} : { before_item_id: itemId };
    const fork = await client.call('POST /api/threads/{id}/fork', { params: { id: threadId }, body });
    await navigate({ to: '/threads/$threadId', params: { threadId: fork.id } });
  }
  async function answer(gate: OpenGate, given: GateAnswer): Promise<void> {
    await client.call('POST /api/gates/{id}', { params: { id: gate.id }, body: given });
    followed.gateAnswered(gate.id);
  }
  return {
    inspect,
    problem,
    imagePath: (itemId, url) => `/api/threads/${threadId}/items/${itemId}/image?url=${encodeURIComponent(url)}`,
    isIdle,
    editing,
    setEditing,
    edit: (entry, text) => attempt(() => startVersion(entry.id, text)),
    answering,
    askAgain: (itemId, another) => void attempt(() => startVersion(itemId, undefined, another)),
    askShorter: (itemId) =>
      void attempt(async () => {
        await client.call('POST /api/threads/{id}/compact', { params: { id: threadId } });
        await startVersion(itemId);
      }),
    stopAndAsk: (turnId, itemId, another) =>
      void attempt(async () => {
        stop(turnId);
        await followed.turnEnded(turnId);
        await startVersion(itemId, undefined, another);
      }),
    sendAgain: (message) =>
      void attempt(async () => {
        const chosen = model !== undefined && { model };
        await followed.turnKnown((await sendMessage({ message, thread_id: threadId, ...chosen })).turn_id);
      }),
    show: (turnId) => void attempt(() => followed.show(turnId)),
    fork: (entry, text) =>
      attempt(async () => {
        const fork = await client.call('POST /api/threads/{id}/fork', {
          params: { id: threadId },
          body: { before_item_id: entry.id },
        });
        noteBegun(await sendMessage({ message: text, thread_id: fork.id }));
        await navigate({ to: '/threads/$threadId', params: { threadId: fork.id } });
      }),
    branch: (itemId) => void attempt(() => forkBefore(itemAfter(followed, itemId))),
    startClean: (beforeItemId) => void attempt(() => forkBefore(beforeItemId)),
    withdraw: (turnId, text) =>
      attempt(async () => {
        await followed.withdraw(turnId);
        if (text !== undefined) compose(text);
      }),
    sendNow: (turnId) => attempt(() => followed.sendNow(turnId)),
    vouch: (itemId) => attempt(() => followed.vouch(itemId)),
    denyWith: (gate, turnId, reason) =>
      attempt(async () => {
        await followed.withdraw(turnId);
        await answer(gate, { answer: 'deny', reason });
      }),
    answerGate: (gate, given) => attempt(() => answer(gate, given)),
    stopSubagent: (call) => attempt(() => followed.stopSubagent(call)),
  };
}

/** The item after an answer; undefined if it is the newest one. */
function itemAfter(followed: FollowedThread, itemId: string): string | undefined {
  const entries = followed.snapshot().state.turns.flatMap((turn) => turn.entries);
  const at = entries.findIndex(({ id }) => id === itemId);
  return entries.slice(at + 1).find(({ kind }) => kind !== 'pick-up')?.id;
}
