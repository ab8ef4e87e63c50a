import type { FastifyRequest } from 'fastify';
import type { Agent } from '#agent/agent.ts';
import type { FetchLinks } from '#agent/attachments/fetch-links.ts';
import type { Idempotency, TurnInput } from '#agent/input/start-turn.ts';
import { isObject } from '#domain/is-object.ts';
import type { Principal } from '#domain/principal.ts';
import { parseWithLinks } from '../../model-api/attachment.ts';
import { checkFormat } from '../../model-api/output-format.ts';
import { toEcho } from '../response/response-echo.ts';
import { type CreateRequest, parseCreate, type ToolLimits } from './create-request.ts';
import { linksOf } from './input-items.ts';
import { findSources } from './item-sources.ts';

export type CreateServices = {
  readonly agent: Agent;
  /** The names of the agent's tools, which callers can't use for theirs. */
  readonly toolNames: (owner: Principal) => Promise<ReadonlySet<string>>;
  /** Whether callers may define tools; true in a standard deployment. */
  readonly externalTools: boolean;
  readonly toolLimits: ToolLimits;
  readonly fetchLinks: FetchLinks;
};

/** Checks the body of a create request. */
export async function readCreate(
  services: CreateServices,
  { principal, body }: Pick<FastifyRequest, 'principal' | 'body'>,
): Promise<CreateRequest> {
  const taken = await services.toolNames(principal);
  const sources = await findSources(services.agent, principal, isObject(body) ? body['input'] : undefined);
  const parse = async () => {
    const create = parseCreate(body, { ...services, ...sources, isTaken: (name) => taken.has(name) });
    await checkFormat(services.agent, principal, create.format, 'text.format.schema');
    return create;
  };
  return parseWithLinks(isObject(body) ? linksOf(body['input'], 'input') : [], parse, services.fetchLinks);
}

export function toTurnInput(create: CreateRequest, idempotency?: Idempotency): TurnInput {
  return {
    threadId: create.conversation ?? create.previous?.threadId,
    previousTurnId: create.previous?.turnId,
    unknownThread: create.conversation ? 'not-found' : 'failed-turn',
    channel: 'responses',
    items: create.items,
    tools: create.tools,
    request: {
      model: create.model,
      temperature: create.temperature,
      ...(create.sampling && { sampling: create.sampling }),
      ...(create.reasoningDetail && { reasoningDetail: create.reasoningDetail }),
      ...(create.format && { format: create.format }),
      ...(create.compactAbove !== undefined && { compactAbove: create.compactAbove }),
      echo: toEcho(create),
    },
    idempotency,
    isUnstored: !create.store,
  };
}
