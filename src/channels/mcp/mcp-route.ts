import type { McpHttpHandler } from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Principal } from '#domain/principal.ts';
import { requireSameOrigin } from '#http/caller/same-origin.ts';
import type { Site } from '#http/caller/site.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { whileConnected } from '#http/server/connected.ts';
import { type AgentToolServices, registerAgentTools } from './agent-tools.ts';

export type McpServices = {
  readonly mcpHandler: McpHandler;
  readonly site: Site;
};

/** Answers one request of an MCP client. */
export type McpHandler = (request: Request, body: unknown, principal: Principal) => Promise<Response>;

/** Each request is served on its own, so any replica can answer it. Loaded with the first one. */
export function createMcpHandlerFor(services: AgentToolServices & { readonly version: string }): McpHandler {
  let handler: Promise<McpHttpHandler> | undefined;

  async function load(): Promise<McpHttpHandler> {
    const { createMcpHandler, McpServer } = await import('@modelcontextprotocol/server');
    return createMcpHandler(
      async ({ authInfo, requestInfo }) => {
        const principal = authInfo?.extra?.['principal'] as Principal;
        const server = new McpServer({ name: 'reborn', version: services.version });
        await registerAgentTools(server, { principal, gone: requestInfo?.signal ?? NEVER }, services);
        return server;
      },
      { legacy: 'stateless', maxSubscriptions: MAX_SUBSCRIPTIONS },
    );
  }

  return async (request, parsedBody, principal) => {
    handler ??= load();
    const authInfo = { token: '', clientId: principal.userId, scopes: [], extra: { principal } };
    return (await handler).fetch(request, { authInfo, parsedBody });
  };
}

const NEVER = new AbortController().signal;

/** Each request reads the tools again, so a subscription only holds a connection. */
const MAX_SUBSCRIPTIONS = 100;

const path = '/mcp';

const message = z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())]);

const postMcp = defineRoute({
  method: 'post',
  path,
  summary:
    'Model Context Protocol: the agent as the tools `ask`, `start`, `check` and `memory_search`, and each assistant for everyone as `assistant_<name>`.',
  uncheckedBody: message.describe('A JSON-RPC message of the protocol.'),
  responses: { 200: { description: 'The answer, as JSON or as events.', json: message, events: message } },
  errors: [400, 413],
  handle: ({ principal, request, reply }, services: McpServices) => serve(principal, request, reply, services),
});

const noStream = { 405: { description: 'Sessions and streams are not supported.', json: message } };

const getMcp = defineRoute({
  method: 'get',
  path,
  summary: 'Refused: the MCP server keeps no sessions.',
  responses: noStream,
  handle: ({ principal, request, reply }, services: McpServices) => serve(principal, request, reply, services),
});

const deleteMcp = defineRoute({
  method: 'delete',
  path,
  summary: 'Refused: the MCP server keeps no sessions.',
  responses: noStream,
  handle: ({ principal, request, reply }, services: McpServices) => serve(principal, request, reply, services),
});

export const mcpServerRoutes = [postMcp, getMcp, deleteMcp];

async function serve(
  principal: Principal,
  request: FastifyRequest,
  reply: FastifyReply,
  { mcpHandler, site }: McpServices,
): Promise<FastifyReply> {
  // A page of another site could have got hold of a token.
  if (request.headers.origin !== undefined) requireSameOrigin(request, site);
  const { method } = request;
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    if (typeof value === 'string' && !DROPPED.has(name)) headers.set(name, value);
  const body = method === 'POST' ? JSON.stringify(request.body ?? null) : null;
  const signal = whileConnected(request, reply);
  const asked = new Request(`http://localhost${path}`, { method, headers, body, signal });
  return reply.send(await mcpHandler(asked, request.body, principal));
}

/** The body is serialized again, and tools have no use for credentials. */
const DROPPED = new Set(['authorization', 'cookie', 'content-length', 'transfer-encoding', 'connection', 'host']);
