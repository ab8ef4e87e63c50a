import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Agent } from '#agent/agent.ts';
import { Conflict, NotFound } from '#domain/errors.ts';
import type { Principal } from '#domain/principal.ts';
import { isEnded, type Turn } from '#domain/thread/turn.ts';
import { sendThenAct } from '#http/server/write-all.ts';
import { echoOf } from './response-echo.ts';

/** Sends a response. One that is not stored is deleted when it has ended and all of it was written to the client. */
export async function deliver(
  agent: Agent,
  { method, principal, log }: FastifyRequest,
  reply: FastifyReply,
  turn: Turn,
  response: object,
): Promise<FastifyReply> {
  const isDelivered = isEnded(turn) && method !== 'HEAD'; // the answer to a HEAD has no body
  if (echoOf(turn).store || !isDelivered) return reply.send(response);
  return sendThenAct(reply, response, () => discard(agent, principal, turn, (error) => log.error({ err: error })));
}

/**
 * Deletes a turn whose response was delivered, if it is not stored. A failure is left to the hourly sweep. `mayReplay`: the
 * client may send its history again, if it did not name what it continues.
 */
export async function discard(
  agent: Agent,
  owner: Principal,
  turn: Turn,
  onError: (error: unknown) => void,
  mayReplay = true,
): Promise<void> {
  const { store, previousResponseId, inConversation } = echoOf(turn);
  if (store) return;
  try {
    await agent.discardTurn(owner, turn, mayReplay && previousResponseId === null && !inConversation);
  } catch (error) {
    if (!(error instanceof NotFound) && !(error instanceof Conflict)) onError(error);
  }
}
