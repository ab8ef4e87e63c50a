import type { FastifyRequest } from 'fastify';
import type { Agent } from '#agent/agent.ts';
import type { TurnInput } from '#agent/turn/start-turn.ts';
import { uuidFromHex } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import { idempotencyOf } from '#http/routes/idempotency-key.ts';
import { isObject } from '../../model-api/json-value.ts';
import { wireItemId } from '../response/output-items.ts';
import { toEcho } from '../response/response-echo.ts';
import { type CreateRequest, parseCreate } from './create-request.ts';
import { type KnownItems, referencedIds } from './input-items.ts';

export type CreateServices = {
  readonly agent: Agent;
  /** The names of the agent's tools, which callers can't use for theirs. */
  readonly toolNames: () => Promise<ReadonlySet<string>>;
  /** Whether callers may define tools; true in a standard deployment. */
  readonly externalTools: boolean;
};

/** Checks the body of a create request. */
export async function readCreate(
  services: CreateServices,
  { principal, body }: FastifyRequest,
): Promise<CreateRequest> {
  const known = await findReferenced(services.agent, principal, body);
  const taken = await services.toolNames();
  return parseCreate(body, { ...services, known, isTaken: (name) => taken.has(name) });
}

export function toTurnInput(create: CreateRequest, request: FastifyRequest): TurnInput {
  return {
    threadId: create.previous?.threadId,
    previousTurnId: create.previous?.turnId,
    unknownThread: 'failed-turn',
    channel: 'responses',
    items: create.items,
    tools: create.tools,
    request: { model: create.model, temperature: create.temperature, echo: toEcho(create) },
    idempotency: idempotencyOf(request),
  };
}

/** The caller's items that the input refers to. */
async function findReferenced(agent: Agent, owner: Principal, body: unknown): Promise<KnownItems> {
  const wanted = isObject(body) ? referencedIds(body['input']) : [];
  const ids = wanted.flatMap((id) => {
    const hex = /^(?:msg|fc|fco)_([0-9a-f]{32})$/.exec(id)?.[1];
    return hex ? uuidFromHex(hex) : [];
  });
  const items = await agent.findItems(owner, ids);
  return new Map(items.map((item) => [wireItemId(item.type, item.id), item]));
}
