import { z } from 'zod';
import { catalogueServer, listCatalogue } from '#agent/administration/mcp/catalogue/catalogue.ts';
import type { McpAdmin } from '#agent/administration/mcp/mcp-admin.ts';
import type { Site } from '#http/caller/site.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { readFields } from '#http/routes/render-as.ts';
import { holder, holderField, whom } from '../tools/holder-field.ts';
import { redirectOf, signInQuery } from '../tools/sign-in-request.ts';
import { listedServer, render, renderListed, renderServer, server } from './mcp-server-shape.ts';

type Services = { readonly mcpAdmin: McpAdmin; readonly site: Site };

const params = z.object({ name: z.string() });
const holderQuery = z.object({ for: holderField });

export const listMcpServers = defineRoute({
  method: 'get',
  path: '/api/mcp',
  summary: "List the caller's MCP servers and everyone's.",
  query: z.object({ for: whom.optional().describe('A user, for whom an operator lists them.') }),
  responses: {
    200: {
      description: 'The servers by name.',
      json: z.strictObject({ servers: z.array(listedServer) }).meta({ id: 'McpServerList' }),
    },
  },
  errors: [400],
  async handle({ principal, query }, { mcpAdmin }: Services) {
    const user = holder(principal, query.for ?? 'me');
    const servers = await mcpAdmin.list(principal, user === 'everyone' ? principal : user);
    return { servers: servers.map((each) => renderListed(principal, each)) };
  },
});

const listMcpCatalogue = defineRoute({
  method: 'get',
  path: '/api/mcp-catalogue',
  summary: 'List well-known MCP servers, which can be added without looking up their address.',
  responses: {
    200: {
      description: 'The list that this version ships. No server is asked.',
      json: z.strictObject({ servers: z.array(catalogueServer) }).meta({ id: 'McpCatalogue' }),
    },
  },
  errors: [],
  handle: async () => ({ servers: listCatalogue() }),
});

const addMcpServer = defineRoute({
  method: 'post',
  path: '/api/mcp',
  summary: 'Connect to an MCP server and add its tools, for the caller or, as an operator, for everyone.',
  body: z
    .object({
      name: z.string('name is required and must be a string.').describe('Begins the names of its tools.'),
      url: z.string('url must be a string.').default('').describe('Its address, unless `command` is given.'),
      command: z
        .array(z.string('command must be a list of strings.'), 'command must be a list of strings.')
        .optional()
        .describe(
          'A program that the service starts, instead of an address. Operators only, where the service allows it.',
        ),
      for: holderField,
      headers: z
        .record(z.string(), z.string('The value of a header must be a string.'), 'headers must be an object.')
        .default({})
        .describe(
          'Sent with every request, such as `Authorization`; variables of a program. The values are stored encrypted.',
        ),
      private_network: z
        .boolean()
        .default(false)
        .describe("Allow the server's origin although it is on a private network. Operators only."),
      trust_annotations: z
        .boolean()
        .default(false)
        .describe(
          'Believe what the server says about its tools: those that only read run without approval, and harmless calls are repeated after a crash. Operators only.',
        ),
      client_id: z
        .string()
        .optional()
        .describe(
          "Of a client that you registered with the server's authorization server, if it registers none itself.",
        ),
      client_secret: z.string().optional().describe('Stored encrypted.'),
    })
    .meta({ id: 'McpServerAdd' }),
  responses: { 201: { description: 'The server with its tools, which count as reviewed.', json: server } },
  errors: [400, 409, 413, 429],
  async handle({ principal, body }, { mcpAdmin }: Services) {
    const { for: given, client_id: id, client_secret: secret, ...asked } = body;
    const request = { ...readFields(asked), client: id === undefined ? undefined : { id, secret } };
    return render(mcpAdmin, principal, await mcpAdmin.add(principal, request, holder(principal, given)), given);
  },
});

export const getMcpServer = defineRoute({
  method: 'get',
  path: '/api/mcp/{name}',
  summary: 'Get an MCP server with its tools: of the given holder, or the one that takes precedence.',
  params,
  query: z.object({ for: whom.optional() }),
  responses: { 200: { description: 'The server.', json: server } },
  errors: [400, 404],
  async handle({ principal, params: { name }, query }, { mcpAdmin }: Services) {
    const whose = query.for === undefined ? undefined : holder(principal, query.for);
    return renderServer(principal, await mcpAdmin.get(principal, name, whose));
  },
});

const refreshMcpServer = defineRoute({
  method: 'post',
  path: '/api/mcp/{name}/refresh',
  summary: 'List the tools of an MCP server again now.',
  params,
  query: holderQuery,
  responses: { 200: { description: 'The server. `problem` says whether listing failed.', json: server } },
  errors: [400, 404, 429],
  async handle({ principal, params: { name }, query }, { mcpAdmin }: Services) {
    const refreshed = await mcpAdmin.refresh(principal, name, holder(principal, query.for));
    return render(mcpAdmin, principal, refreshed, query.for);
  },
});

const acceptMcpTools = defineRoute({
  method: 'post',
  path: '/api/mcp/{name}/accept',
  summary: 'Accept the new and changed tools of an MCP server after a review.',
  params,
  query: holderQuery,
  body: z
    .object({
      listed_at: z.iso
        .datetime('listed_at must be the time of the list that was reviewed.')
        .describe('`listed_at` of the server as it was reviewed. A newer list is not accepted.'),
    })
    .meta({ id: 'McpReview' }),
  responses: { 200: { description: 'The server.', json: server } },
  errors: [400, 404, 409, 413],
  async handle({ principal, params: { name }, query, body }, { mcpAdmin }: Services) {
    const listedAt = new Date(body.listed_at);
    const accepted = await mcpAdmin.accept(principal, name, holder(principal, query.for), listedAt);
    return render(mcpAdmin, principal, accepted, query.for);
  },
});

const removeMcpServer = defineRoute({
  method: 'delete',
  path: '/api/mcp/{name}',
  summary: 'Remove an MCP server of the caller or, as an operator, of everyone, with its stored headers.',
  params,
  query: holderQuery,
  responses: { 204: { description: 'The server is removed.' } },
  errors: [400, 404],
  async handle({ principal, params: { name }, query }, { mcpAdmin }: Services) {
    await mcpAdmin.remove(principal, name, holder(principal, query.for));
  },
});

const beginMcpSignIn = defineRoute({
  method: 'post',
  path: '/api/mcp/{name}/sign-in',
  summary:
    'Start an OAuth sign-in to an MCP server, for the caller or, as an operator, for a user or everyone without one.',
  params,
  query: signInQuery,
  responses: {
    200: {
      description: 'Where to send the browser. It comes back to `/tools/callback`.',
      json: z.strictObject({ url: z.url() }).meta({ id: 'McpSignInBegun' }),
    },
  },
  errors: [400, 404, 429],
  async handle({ principal, params: { name }, query, request }, { mcpAdmin, site }: Services) {
    const redirectUri = redirectOf(request, site, query);
    return { url: await mcpAdmin.beginSignIn(principal, name, holder(principal, query.for), redirectUri) };
  },
});

const finishMcpSignIn = defineRoute({
  method: 'post',
  path: '/api/mcp/sign-in/finish',
  summary: 'Finish an OAuth sign-in to an MCP server with the parameters that the provider sent back.',
  query: z.object({ for: holderField.describe('As it was started. The state says when it was for everyone.') }),
  body: z
    .object({
      state: z.string('state is required and must be a string.').max(500).describe('It begins with `mcp:`.'),
      code: z.string('code is required and must be a string.').min(1, 'code must not be empty.').max(8192),
      iss: z.string('iss must be a string.').max(2000).optional().describe('The issuer, if the provider sent it.'),
    })
    .meta({ id: 'McpSignInAnswer' }),
  responses: { 204: { description: 'The sign-in is done, and the tools are listed.' } },
  errors: [400, 413],
  async handle({ principal, query, body }, { mcpAdmin }: Services) {
    await mcpAdmin.finishSignIn(principal, body, holder(principal, query.for));
  },
});

export const mcpRoutes = [
  beginMcpSignIn,
  finishMcpSignIn,
  listMcpServers,
  listMcpCatalogue,
  addMcpServer,
  getMcpServer,
  refreshMcpServer,
  acceptMcpTools,
  removeMcpServer,
];
