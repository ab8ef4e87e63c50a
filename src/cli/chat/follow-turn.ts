import type { Client } from '@reborn-agent/client';
import type { ChatAccepted, OpenGate, ServerMessage, TurnEvent } from '@reborn-agent/client/api';
import { textOf } from '@reborn-agent/client/message-text';
import { gatesOfSubagents } from '@reborn-agent/client/subagents';
import type { TurnEventMessage } from '@reborn-agent/client/turn-entries';
import { withSourceList } from '#domain/search/cited-text.ts';
import { connectService, type Locate } from '#terminal/service.ts';
import { createSpeaker } from './speak.ts';

type TurnEnded = Extract<TurnEvent, { type: 'turn-ended' }>;
type Accepted = Pick<ChatAccepted, 'thread_id' | 'turn_id' | 'response_id'>;

export type Answer = Accepted & { readonly message: string } & Pick<TurnEnded, 'status' | 'failure' | 'usage'>;

type Options = {
  readonly locate: Locate;
  /** Starts the turn: with a message, or with the answer to a gate. */
  readonly begin: (client: Client) => Promise<ChatAccepted>;
  readonly write: (text: string) => void;
  /** Called once with each event of the turn. */
  readonly onEvent: (message: TurnEventMessage) => void;
  /** Aborted when the person no longer wants the answer. The turn is then cancelled. */
  readonly signal: AbortSignal;
  readonly onLost: () => void;
  /** Called when the thread waits at a gate of an earlier turn, which must be answered first. */
  readonly onGateAhead: (threadId: string) => void;
  /** Called once with each gate that a subagent of the turn waits at. */
  readonly onGateBelow: (gate: OpenGate) => void;
};

/** Starts a turn and writes its text as it arrives, across restarts of the service. */
export async function followTurn(options: Options): Promise<Answer> {
  const { locate, begin, write, onEvent, signal, onLost, onGateAhead, onGateBelow } = options;
  const speaker = createSpeaker(write);
  const ended = Promise.withResolvers<TurnEnded>();
  const said: string[] = [];
  let sequence: number | undefined;
  let wasLive = false;

  const service = connectService(locate);
  const { client, socket } = service;
  socket.onConnection(() => {
    const isLive = socket.connection().state === 'live';
    if (wasLive && !isLive) onLost();
    wasLive = isLive;
  });
  socket.onMessage((message) => {
    if (message.type === 'error') ended.reject(new Error(message.error.message));
  });

  function receive(message: TurnEventMessage): void {
    const { sequence: number, event } = message;
    if (sequence !== undefined && number <= sequence) return;
    sequence = number;
    onEvent(message);
    if (event.type === 'text-delta') speaker.say(event.delta);
    if (event.type === 'turn-ended') ended.resolve(event);
    if (event.type !== 'item-added' && event.type !== 'item-done') return;
    if (event.item.type !== 'message' || event.item.role !== 'assistant') return;
    const { content, citations } = event.item;
    if (event.type === 'item-added') speaker.begin(citations);
    else if (event.written) {
      speaker.finish(citations);
      said.push(withSourceList(textOf(content), citations));
    } else speaker.breakOff();
  }

  const told = new Set<string>();
  async function findGatesBelow(threadId: string): Promise<void> {
    const tree = await client.call('GET /api/threads/{id}/tree', { params: { id: threadId } }).catch(() => undefined);
    for (const gate of gatesOfSubagents(tree?.nodes ?? [])) {
      if (told.has(gate.id)) continue;
      told.add(gate.id);
      onGateBelow(gate);
    }
  }

  try {
    const { thread_id: threadId, turn_id: turnId, response_id: responseId } = await begin(client);
    socket.subscribe(threadId, {
      after: () => ({ turn_id: turnId, ...(sequence !== undefined && { sequence }) }),
      onMessage: (message: ServerMessage) => {
        if (message.type === 'turn-event' && message.turn_id === turnId) receive(message);
        const isAhead = message.type === 'gate' && message.gate !== null && message.gate.turn_id !== turnId;
        if (isAhead && sequence === undefined) onGateAhead(threadId);
        if (message.type === 'thread' && message.thread?.status === 'waiting') void findGatesBelow(threadId);
      },
    });
    signal.addEventListener('abort', () => socket.send({ type: 'cancel', turn_id: turnId }));
    const { status, failure, usage } = await ended.promise;
    speaker.end();
    const ids = { thread_id: threadId, response_id: responseId, turn_id: turnId };
    return { ...ids, status, failure, usage, message: said.join('\n\n') };
  } finally {
    service.close();
  }
}
