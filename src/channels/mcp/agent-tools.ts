import type { CallToolResult, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Agent } from '#agent/agent.ts';
import type { Assistants } from '#agent/assistants/assistants.ts';
import { replyOf, type TurnReply, wordsOf } from '#agent/watch/turn-reply.ts';
import { Conflict, Forbidden, InvalidRequest, NotFound, RateLimited } from '#domain/errors.ts';
import { newId, type ThreadId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import { text } from '#domain/thread/item.ts';
import type { ThreadUrl } from '#domain/thread/thread.ts';
import { isEnded, refusalAt } from '#domain/thread/turn.ts';
import type { Assistant } from '#domain/work/assistant.ts';
import type { Limiter } from '#http/caller/rate-limit.ts';
import { formatResponseId, parseResponseId } from '#http/response-id.ts';
import type { Memory } from '#memory/memory.ts';

export type AgentToolServices = {
  readonly agent: Agent;
  readonly assistants: Pick<Assistants, 'listShared'>;
  readonly memory: Pick<Memory, 'search'>;
  readonly limiter: Limiter;
  readonly threadUrl: ThreadUrl;
  readonly onError: (error: unknown) => void;
};

/** Clients give up after 60 s by default. A turn that takes longer continues, and `check` finds its answer. */
const WAIT_MS = 50_000;

const message = {
  message: z
    .string()
    .max(1_000_000)
    .refine((said) => said.trim() !== '', 'message must not be blank.'),
  thread_id: z.uuid().optional().describe('Continues this conversation. Leave it out to begin one.'),
};
// Built once: each request registers the tools again.
const SCHEMAS = {
  ask: z.object(message),
  start: z.object(message),
  check: z.object({ id: z.string().max(100).describe('The id that `ask` or `start` returned.') }),
  search: z.object({
    query: z
      .string()
      .min(1)
      .max(2000)
      .refine((query) => !query.includes('\0'), 'query must be plain text.'),
    limit: z.int().min(1).max(20).default(5),
  }),
};
type Asked = z.infer<typeof SCHEMAS.ask>;
const READS = { readOnlyHint: true, openWorldHint: false };
const WRITES = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };

/** The agent and the shared assistants as tools of an MCP server, for one caller. */
export async function registerAgentTools(
  server: McpServer,
  caller: { readonly principal: Principal; readonly gone: AbortSignal },
  services: AgentToolServices,
): Promise<void> {
  const { agent, memory, limiter, threadUrl } = services;
  const { principal, gone } = caller;
  const answer = (act: () => Promise<object>) => toResult(act, services.onError);

  async function startTurn({ message: said, thread_id: threadId }: Asked, assistant?: string) {
    await limiter(`chat:${principal.userId}`);
    return agent.startTurn(principal, {
      threadId: threadId as ThreadId | undefined,
      unknownThread: 'not-found',
      channel: 'gateway',
      // Callers are agents, too: the addresses that they write are not the person's.
      items: [
        { id: newId(), type: 'message', role: 'user', author: 'agent', content: [text(said)], status: 'completed' },
      ],
      tools: undefined,
      assistant,
      request: { model: null, temperature: null, echo: {} },
      idempotency: undefined,
    });
  }

  async function ask(given: Asked, assistant?: string): Promise<object> {
    const signal = AbortSignal.any([gone, AbortSignal.timeout(WAIT_MS)]);
    return renderReply(await agent.outcome(principal, await startTurn(given, assistant), { signal }), threadUrl);
  }

  server.registerTool(
    'ask',
    {
      description: 'Send a message to the agent and wait up to 50 s for its answer. Use `check` if it takes longer.',
      inputSchema: SCHEMAS.ask,
      annotations: WRITES,
    },
    (given) => answer(() => ask(given)),
  );
  server.registerTool(
    'start',
    {
      description: 'Send a message to the agent without waiting. `check` returns the answer later.',
      inputSchema: SCHEMAS.start,
      annotations: WRITES,
    },
    (given) =>
      answer(async () => {
        const { turn } = await startTurn(given);
        return renderReply({ turn, made: [], gate: null }, threadUrl);
      }),
  );
  server.registerTool(
    'check',
    { description: 'The state and the answer of a message.', inputSchema: SCHEMAS.check, annotations: READS },
    ({ id }) =>
      answer(async () => {
        const ids = parseResponseId(id);
        if (!ids) throw new NotFound('No message has this id.');
        return renderReply(replyOf(await agent.getTurn(principal, ids)), threadUrl);
      }),
  );
  server.registerTool(
    'memory_search',
    { description: "Search the agent's notes about the caller.", inputSchema: SCHEMAS.search, annotations: READS },
    ({ query, limit }) =>
      answer(async () => {
        const found = await memory.search(principal, query, limit);
        return { notes: found.map(({ path, text: words }) => ({ path, text: words })) };
      }),
  );
  for (const shared of await services.assistants.listShared(principal))
    server.registerTool(
      `assistant_${shared.name}`,
      { description: describeAssistant(shared), inputSchema: SCHEMAS.ask, annotations: WRITES },
      (given) => answer(() => ask(given, shared.name)),
    );
}

/** Descriptions are read by the models of others. Clients accept letters, digits, dashes and underscores in names. */
function describeAssistant({ name, description }: Assistant): string {
  const purpose = description.replaceAll(/\s+/g, ' ').trim();
  return `Send a message to the assistant "${name}" and wait up to 50 s for its answer.${purpose && ` ${purpose}`}`;
}

function renderReply(reply: TurnReply, threadUrl: ThreadUrl): object {
  const { turn, gate } = reply;
  const error = gate ? refusalAt(gate, threadUrl(turn.threadId)) : turn.failure;
  return {
    id: formatResponseId({ turnId: turn.id, threadId: turn.threadId }),
    thread_id: turn.threadId,
    status: turn.status,
    answer: isEnded(turn) ? wordsOf(reply) : '',
    ...(error && { error: error.message }),
  };
}

/** The caller's mistakes are results that its model reads. Any other error is a bug, which it doesn't see. */
async function toResult(act: () => Promise<object>, onError: (error: unknown) => void): Promise<CallToolResult> {
  try {
    return { content: [{ type: 'text', text: JSON.stringify(await act()) }] };
  } catch (error) {
    const isMistake = MISTAKES.some((kind) => error instanceof kind);
    if (!isMistake) onError(error);
    const words = isMistake && error instanceof Error ? error.message : 'The service failed. Try again later.';
    return { content: [{ type: 'text', text: words }], isError: true };
  }
}

const MISTAKES = [InvalidRequest, NotFound, Conflict, Forbidden, RateLimited];
