import type { Agent } from '#agent/agent.ts';
import type { StartedTurn } from '#agent/input/start-turn.ts';
import type { FollowedTurn } from '#agent/watch/follow-turn.ts';
import { InvalidRequest, NotFound } from '#domain/errors.ts';
import { type ItemId, newId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import type { NewItem } from '#domain/thread/item.ts';
import type { ThreadUrl } from '#domain/thread/thread.ts';
import { isEnded, type Turn } from '#domain/thread/turn.ts';
import type { Limiter } from '#http/caller/rate-limit.ts';
import { formatResponseId } from '#http/response-id.ts';
import type { SocketConnection } from '#http/socket/socket-connection.ts';
import { renderSocketError } from '#http/socket/socket-error.ts';
import type { TakePace } from '#http/socket/socket-pace.ts';

import { type CreateServices, type ReadCreate, readCreate, toTurnInput } from '../request/read-create.ts';
import { discard } from '../response/delivery.ts';
import { isTerminal } from '../response/is-terminal.ts';
import { echoOf } from '../response/response-echo.ts';
import { streamResponse } from '../response/response-events.ts';
import type { ResponseObject } from '../response/response-object.ts';
import type { NumberedStreamEvent } from '../response/stream-event.ts';
import { MAX_REMEMBERED_BYTES, type Memory, type Remembered } from './remembered.ts';
import { parseMessage, type SocketMessage, streamIdOf, toCreateBody } from './socket-messages.ts';
import { isSteer } from './steer-messages.ts';
import { type Asked, createSteering, type Followed } from './steering.ts';

export type SessionServices = CreateServices & {
  readonly agent: Agent;
  readonly limiter: Limiter;
  readonly pace: TakePace;
  readonly threadUrl: ThreadUrl;
  readonly memory: Memory;
  readonly onError: (error: unknown) => void;
};

/** Answers the messages of one client, one after the other; those that steer a response at once. */
export function createSession(
  principal: Principal,
  connection: SocketConnection<SocketMessage>,
  services: SessionServices,
  signal: AbortSignal,
) {
  const { agent, limiter, pace, threadUrl, onError } = services;
  const memory = services.memory(principal.userId);
  const steering = createSteering(principal, services, (event) => connection.send(event));

  /** Forgets the response that `previousId` names: a failed continuation must not be repeated. */
  function evict(previousId: unknown): void {
    if (memory.find(previousId)) memory.forget();
  }

  /** The response to a create, and then those to the messages that have steered it. */
  async function respond(create: ReadCreate, name: Asked['name']): Promise<void> {
    const started = await start(agent, principal, create, memory.find(create.previousResponseId));
    let shown = await follow(started, { ...create, name });
    for (let steer = await steering.next(shown); steer && !signal.aborted; steer = await steering.next(shown)) {
      const { turn, target } = steer;
      const asked = { ...target.asked, previousResponseId: target.id };
      const next = await follow({ turn, fresh: false }, asked).catch((error: unknown) => {
        if (!(error instanceof NotFound)) throw error;
        return undefined;
      });
      if (next) shown = next;
      else await steering.lost(steer);
    }
  }

  async function follow({ turn, fresh }: FollowedTurn, asked: Asked): Promise<Followed> {
    const shown = steering.begin(turn, formatResponseId({ turnId: turn.id, threadId: turn.threadId }), asked);
    const how = { model: asked.model, threadUrl, startingAfter: -1, fresh: fresh && !isEnded(turn), signal };
    for await (const event of streamResponse(agent, principal, turn, how)) {
      if (signal.aborted) return shown;
      if (isLast(event)) {
        await steering.settled(); // their answers come before the end that they have caused
        shown.ended = event.response;
      }
      shown.sequence = event.sequence_number;
      if (isLast(event)) await finish(asked, turn, event);
      else await connection.send({ ...event, ...asked.name });
    }
    return shown;
  }

  /** Sends the last event. A response that is not stored moves from the database to this socket's memory. */
  async function finish({ store, previousResponseId, name }: Asked, turn: Turn, event: LastEvent) {
    const { response } = event;
    const isUsable = response.status === 'completed' || response.status === 'incomplete';
    if (!isUsable) evict(previousResponseId);
    const kept = isUsable && !store ? await remember(services, principal, turn, response) : undefined;
    if (!(await connection.deliver({ ...event, ...name }))) return;
    await discard(agent, principal, turn, onError, false); // the socket has its history
    if (!store && isUsable) memory.replace(kept);
  }

  return {
    end: memory.forget,
    async receive(text: string): Promise<void> {
      let message: Record<string, unknown> = {};
      try {
        await pace(principal.userId, 0, connection.closed);
        await limiter(`chat:${principal.userId}`);
        message = parseMessage(text);
        if (isSteer(text)) return await steering.receive(message);
        const body = toCreateBody(message);
        await respond(await readCreate(services, { principal, body }), streamIdOf(message));
      } catch (error) {
        evict(message['previous_response_id']);
        if (signal.aborted) return;
        await connection.send({ type: 'error', ...renderSocketError(error, onError), ...streamIdOf(message) });
      }
    },
  };
}

/** What this socket remembers begins a new thread. */
async function start(
  agent: Agent,
  principal: Principal,
  create: ReadCreate,
  remembered: Remembered | undefined,
): Promise<StartedTurn> {
  if (remembered) {
    checkAnswer(remembered, create.items);
    const history = remembered.items.map((item) => ({ ...item, id: newId<ItemId>() }));
    const items = [...history, ...create.items];
    const tools = create.tools ?? (remembered.callId === undefined ? undefined : remembered.tools);
    const input = { ...toTurnInput(create), tools, threadId: undefined, previousTurnId: undefined };
    return agent.startTurn(principal, { ...input, items, startsThread: true });
  }
  if (create.previous) await checkStored(agent, principal, create.previous);
  return agent.startTurn(principal, toTurnInput(create));
}

/** undefined: the conversation is too large, or can't be read. */
async function remember(
  { agent, onError }: SessionServices,
  principal: Principal,
  turn: Turn,
  response: ResponseObject,
): Promise<Remembered | undefined> {
  try {
    const items = await agent.findHistory(principal, turn, MAX_REMEMBERED_BYTES);
    const call = response.output.find((item) => item.type === 'function_call');
    return items && { responseId: response.id, items, callId: call?.call_id, tools: turn.request.tools };
  } catch (error) {
    onError(error);
    return undefined;
  }
}

type LastEvent = Extract<NumberedStreamEvent, { response: ResponseObject }>;

const isLast = (event: NumberedStreamEvent): event is LastEvent => isTerminal(event);

/** A socket refuses an unknown previous response at once; over HTTP it becomes a failed response. */
async function checkStored(
  agent: Agent,
  owner: Principal,
  previous: NonNullable<ReadCreate['previous']>,
): Promise<void> {
  const found = await agent.getTurn(owner, previous).catch((error: unknown) => {
    if (error instanceof NotFound) return undefined;
    throw error;
  });
  if (!found || !echoOf(found.turn).store)
    throw new InvalidRequest(
      'previous_response_not_found',
      'previous_response_id',
      'The previous response was not found. Send the whole history as input, without previous_response_id.',
    );
}

/** The rules for an answer to a stored response that waits for a tool, applied to a remembered one. */
function checkAnswer({ callId }: Remembered, items: readonly NewItem[]): void {
  const outputs = items.flatMap((item) => (item.type === 'function_call_output' ? item.callId : []));
  if (callId === undefined && outputs.length > 0)
    throw new InvalidRequest('no_pending_call', 'input', 'The previous response does not wait for a tool result.');
  if (callId !== undefined && outputs.length === 0)
    throw new InvalidRequest(
      'tool_output_missing',
      'input',
      `The previous response waits for the output of call_id "${callId}".`,
    );
  if (callId !== undefined && (outputs.length !== 1 || outputs[0] !== callId))
    throw new InvalidRequest(
      'call_id_mismatch',
      'input.call_id',
      `The previous response waits for call_id "${callId}" alone.`,
    );
}
