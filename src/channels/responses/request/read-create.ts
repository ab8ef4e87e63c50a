import type { FastifyRequest } from 'fastify';
import type { Agent } from '#agent/agent.ts';
import type { FetchLinks } from '#agent/attachments/fetch-links.ts';
import type { Idempotency, TurnInput } from '#agent/input/start-turn.ts';
import type { Containers } from '#agent/workspace/containers.ts';
import type { VectorStores } from '#agent/workspace/vector-stores.ts';
import { InvalidRequest, NotFound } from '#domain/errors.ts';
import { isObject } from '#domain/is-object.ts';
import type { Principal } from '#domain/principal.ts';
import type { Upload } from '#domain/workspace/upload.ts';
import { workspaceOf } from '#domain/workspace/version.ts';
import { parseWithLinks } from '../../model-api/attachment.ts';
import { checkFormat } from '../../model-api/output-format.ts';
import { NO_STORE } from '../../model-api/vector-store-id.ts';
import { toEcho } from '../response/response-echo.ts';
import { type CreateRequest, parseCreate, type ToolLimits } from './create-request.ts';
import { NO_CONTAINER } from './hosted-tools.ts';
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
  readonly containers: Pick<Containers, 'get' | 'uploadsOf' | 'namesOf'>;
  readonly vectorStores: Pick<VectorStores, 'check'>;
};

export type ReadCreate = CreateRequest & {
  /** Uploaded files that the thread gets for its code. */
  readonly addedFiles: readonly Upload[];
};

/** Checks the body of a create request. */
export async function readCreate(
  services: CreateServices,
  { principal, body }: Pick<FastifyRequest, 'principal' | 'body'>,
): Promise<ReadCreate> {
  const taken = await services.toolNames(principal);
  const sources = await findSources(services.agent, principal, isObject(body) ? body['input'] : undefined);
  const parse = async () => {
    const create = parseCreate(body, { ...services, ...sources, isTaken: (name) => taken.has(name) });
    await checkFormat(services.agent, principal, create.format, 'text.format.schema');
    return create;
  };
  const create = await parseWithLinks(
    isObject(body) ? linksOf(body['input'], 'input') : [],
    parse,
    services.fetchLinks,
  );
  await checkStores(services.vectorStores, principal, create);
  return { ...create, addedFiles: await findHostedFiles(services.containers, principal, create) };
}

async function checkStores(
  stores: CreateServices['vectorStores'],
  owner: Principal,
  { hosted }: CreateRequest,
): Promise<void> {
  try {
    if (hosted?.stores) await stores.check(owner, hosted.stores.stores);
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
    throw new InvalidRequest('invalid_tool', 'tools', NO_STORE);
  }
}

/** Checks the container, and finds the files that the thread does not have yet: code may have changed those that it has. */
async function findHostedFiles(
  containers: CreateServices['containers'],
  owner: Principal,
  { hosted, conversation, previous }: CreateRequest,
): Promise<Upload[]> {
  if (!hosted) return [];
  try {
    if (hosted.container) await containers.get(owner, hosted.container);
    const uploads = await containers.uploadsOf(owner, hosted.uploads);
    const threadId = conversation ?? previous?.threadId;
    if (uploads.length === 0 || !threadId) return uploads;
    const known = await containers.namesOf(owner, workspaceOf(threadId));
    return uploads.filter(({ filename }) => !known.has(filename));
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
    throw new InvalidRequest('invalid_tool', 'tools', hosted.container ? NO_CONTAINER : NO_FILE);
  }
}

const NO_FILE = 'A file in file_ids does not exist. Upload it to /v1/files first.';

export function toTurnInput(create: ReadCreate, idempotency?: Idempotency): TurnInput {
  return {
    threadId: create.conversation ?? create.previous?.threadId,
    previousTurnId: create.previous?.turnId,
    unknownThread: create.conversation ? 'not-found' : 'failed-turn',
    channel: 'responses',
    items: create.items,
    tools: create.tools,
    addedFiles: create.addedFiles,
    request: {
      model: create.model,
      temperature: create.temperature,
      ...(create.sampling && { sampling: create.sampling }),
      ...(create.reasoningDetail && { reasoningDetail: create.reasoningDetail }),
      ...(create.format && { format: create.format }),
      ...(create.compactAbove !== undefined && { compactAbove: create.compactAbove }),
      ...(create.hosted?.container && { container: create.hosted.container }),
      ...(create.hosted?.search && { search: create.hosted.search.options }),
      ...(create.hosted?.stores && { stores: create.hosted.stores }),
      echo: toEcho(create),
    },
    whenBusy: create.whenBusy,
    idempotency,
    isUnstored: !create.store,
  };
}
