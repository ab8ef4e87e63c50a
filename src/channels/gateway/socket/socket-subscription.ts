import type { Agent } from '#agent/agent.ts';
import type { Threads } from '#agent/threads/threads.ts';
import { STARTED, type ThreadEvent, watchThread } from '#agent/watch/watch-thread.ts';
import type { ThreadId, TurnId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import type { TurnEvent } from '#domain/thread/turn-event.ts';
import type { SocketConnection } from '#http/socket/socket-connection.ts';
import { renderSocketError } from '#http/socket/socket-error.ts';
import { renderGate } from '../gates/gate-shape.ts';
import { renderBareItem, renderItem, renderUsage } from '../threads/item-shape.ts';
import type { ServerMessage } from './socket-messages.ts';

export type After = { readonly turnId: TurnId; readonly sequence: number | undefined };

type SocketServices = { readonly agent: Agent; readonly threads: Threads; readonly onError: (error: unknown) => void };

/** Sends a thread's events to a client. After an error, the client is asked to subscribe again. */
export async function subscribe(
  principal: Principal,
  connection: SocketConnection<ServerMessage>,
  services: SocketServices,
  { threadId, after, signal }: { threadId: ThreadId; after: After | undefined; signal: AbortSignal },
): Promise<void> {
  try {
    for await (const event of watchThread(services, principal, threadId, { after, signal })) {
      if (signal.aborted) return;
      await connection.send(renderThreadEvent(event, threadId));
    }
  } catch (error) {
    if (signal.aborted) return;
    await connection.send({ type: 'error', error: renderSocketError(error, services.onError).error });
    await connection.send({ type: 'resubscribe', thread_id: threadId });
  }
}

function renderThreadEvent(event: ThreadEvent, threadId: ThreadId): ServerMessage {
  if (event.kind === 'line') return { type: 'line', thread_id: threadId, line: event.line };
  if (event.kind === 'gate') return { type: 'gate', thread_id: threadId, gate: event.gate && renderGate(event.gate) };
  const ids = { type: 'turn-event' as const, thread_id: threadId, turn_id: event.turn.id };
  if (event.kind === 'event') {
    const { sequence } = event.numbered;
    return { ...ids, sequence, event: renderTurnEvent(event.numbered.event, threadId) };
  }
  return { ...ids, sequence: STARTED, event: renderStart(event) };
}

function renderStart({ turn, items }: Extract<ThreadEvent, { kind: 'started' }>): WireEvent {
  const { seq, channel, createdAt, request } = turn;
  return {
    type: 'turn-started',
    seq,
    channel,
    created_at: createdAt.toISOString(),
    ...(request.assistant && { assistant: request.assistant.name }),
    items: items.map(renderItem),
  };
}

type WireEvent = Extract<ServerMessage, { type: 'turn-event' }>['event'];

function renderTurnEvent(event: TurnEvent, threadId: ThreadId): WireEvent {
  switch (event.type) {
    case 'item-added':
      return { type: event.type, item: renderBareItem(event.item) };
    case 'text-delta':
      return { type: event.type, item_id: event.itemId, delta: event.delta };
    case 'item-done':
      return {
        type: event.type,
        item: renderBareItem(event.item, event.written ? threadId : undefined),
        written: event.written,
      };
    case 'model-failed': {
      const { type, model, message, details, tries, next, waitMs, failedAt } = event;
      const more = { ...(details && { details }), ...(tries && { tries }) };
      return { type, model, message, ...more, next, wait_ms: waitMs, failed_at: failedAt };
    }
    case 'tool-progress': {
      const { type, itemId, progress, total, message } = event;
      return { type, item_id: itemId, progress, total, message };
    }
    case 'turn-ended': {
      const { type, status, failure, steeredBy = null, usage, endedAt } = event;
      return { type, status, failure, steered_by: steeredBy, usage: renderUsage(usage), ended_at: endedAt };
    }
  }
}
