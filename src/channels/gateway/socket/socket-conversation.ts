import type { Agent } from '#agent/agent.ts';
import type { Jobs } from '#agent/jobs.ts';
import type { Threads } from '#agent/threads/threads.ts';
import { InvalidRequest } from '#domain/errors.ts';
import type { ThreadId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import type { Placement } from '#domain/thread/thread.ts';
import type { Turn } from '#domain/thread/turn.ts';
import type { Limiter } from '#http/caller/rate-limit.ts';
import { parseBody } from '#http/routes/parse-body.ts';
import { parseJson } from '#http/routes/parse-json.ts';
import type { SocketConnection } from '#http/socket/socket-connection.ts';
import { renderSocketError } from '#http/socket/socket-error.ts';
import type { TakePace } from '#http/socket/socket-pace.ts';
import { FREE_FIELDS, readChat } from '../chat/chat-request.ts';
import { toGateAnswer } from '../gates/gate-routes.ts';
import { turnIds } from '../threads/turn-shape.ts';
import { startNotifications } from './change-notifications.ts';
import { type ClientMessage, clientMessage, type ServerMessage } from './socket-messages.ts';
import { type After, subscribe } from './socket-subscription.ts';

/** The services that a conversation uses. */
export type SocketServices = {
  readonly agent: Agent;
  readonly threads: Threads;
  readonly jobs: Jobs;
  readonly limiter: Limiter;
  readonly pace: TakePace;
  readonly onError: (error: unknown) => void;
};

const MAX_SUBSCRIPTIONS = 32;

/** Handles the messages of one client, and its subscriptions. */
export function createConversation(
  principal: Principal,
  connection: SocketConnection<ServerMessage>,
  services: SocketServices,
) {
  const { agent, threads, limiter } = services;
  const subscriptions = new Map<ThreadId, AbortController>();
  const notifications = startNotifications(principal, connection, services);

  function follow(threadId: ThreadId, after: After | undefined): void {
    subscriptions.get(threadId)?.abort();
    if (!subscriptions.has(threadId) && subscriptions.size >= MAX_SUBSCRIPTIONS)
      throw new InvalidRequest('invalid_request', 'thread_id', `A socket may follow ${MAX_SUBSCRIPTIONS} threads.`);
    const stop = new AbortController();
    subscriptions.set(threadId, stop);
    const signal = AbortSignal.any([stop.signal, connection.closed]);
    void subscribe(principal, connection, services, { threadId, after, signal }).finally(() => {
      if (subscriptions.get(threadId) === stop) subscriptions.delete(threadId);
    });
  }

  /** Subscribes the sender to the thread from the start of its turn, unless it is subscribed already. */
  async function accept(turn: Turn, placed: Placement | null, id: string | undefined): Promise<void> {
    await connection.send({ type: 'accepted', ...reference(id), ...turnIds(turn), turn_id: turn.id, placed });
    if (!subscriptions.has(turn.threadId)) follow(turn.threadId, { turnId: turn.id, sequence: undefined });
  }

  async function act(message: ClientMessage): Promise<void> {
    switch (message.type) {
      case 'subscribe': {
        const { thread_id: threadId, after } = message;
        await threads.get(principal, threadId);
        return follow(threadId, after ? { turnId: after.turn_id, sequence: after.sequence } : undefined);
      }
      case 'unsubscribe':
        subscriptions.get(message.thread_id)?.abort();
        subscriptions.delete(message.thread_id);
        return;
      case 'send': {
        await limiter(`chat:${principal.userId}`);
        const input = await readChat(agent, principal, message, undefined);
        const { turn, placed } = await agent.startTurn(principal, input);
        return accept(turn, placed, message.id);
      }
      case 'cancel': {
        const { threadId, id } = await threads.getTurn(principal, message.turn_id);
        return agent.cancelTurn(principal, { threadId, turnId: id }, 'cancelled');
      }
      case 'gate': {
        const turn = await agent.answerGate(principal, message.gate_id, toGateAnswer(message));
        return accept(turn, { type: 'started' }, message.id);
      }
      case 'ping':
        return connection.send({ type: 'pong', ...reference(message.id) });
    }
  }

  return {
    async receive(text: string): Promise<void> {
      await services.pace(principal.userId, text.length, connection.closed);
      let id: string | undefined;
      try {
        const json = parseJson(text, 'A message must be JSON, as a text.');
        id = idOf(json);
        await act(parseBody(clientMessage, json, FREE_FIELDS));
      } catch (error) {
        await connection.send({
          type: 'error',
          ...reference(id),
          error: renderSocketError(error, services.onError).error,
        });
      }
    },
    end(): void {
      notifications.stop();
      for (const stop of subscriptions.values()) stop.abort();
    },
  };
}

const reference = (id: string | undefined) => (id === undefined ? {} : { id });

function idOf(json: unknown): string | undefined {
  const id = typeof json === 'object' && json !== null && 'id' in json ? json.id : undefined;
  return typeof id === 'string' ? id.slice(0, 100) : undefined;
}
