import { z } from 'zod';
import type { ListedMcpServer, McpAdmin } from '#agent/administration/mcp-admin.ts';
import { isOperator, type Principal } from '#domain/principal.ts';
import { isReviewed, type McpServer } from '#domain/tool/mcp-server.ts';
import { addressOf, type Site } from '#http/caller/site.ts';
import { defineRoute } from '#http/routes/define-route.ts';

type Services = { readonly mcpAdmin: McpAdmin; readonly site: Site };

const source = z.enum(['me', 'everyone'], 'for must be me or everyone.');
const holderField = source.default('me');

const serverTool = z.strictObject({
  name: z.string().describe("The server's name of the tool. The model calls it `<server>__<tool>`."),
  description: z.string(),
  parameters: z.record(z.string(), z.unknown()),
  read_only: z.boolean().describe('The server says that the tool only reads.'),
  destructive: z.boolean().describe('The server does not deny that the tool can delete or overwrite.'),
  idempotent: z.boolean().describe('The server says that a call can be repeated.'),
  reviewed: z
    .boolean()
    .describe('False for a tool that is new or changed since the last review: its calls need approval.'),
  description_before: z
    .string()
    .nullable()
    .describe('Its description at the last review, if the tool has changed since.'),
});

const summary = {
  name: z.string(),
  url: z.string().describe('`stdio:` and the command, for a server that the service starts as a program.'),
  for: source,
  hidden: z.boolean().describe('Whether a server for everyone of the same name takes precedence.'),
  private_network: z.boolean(),
  trust_annotations: z.boolean(),
  headers: z.array(z.string()).describe('The names of the headers whose values are stored.'),
  protocol: z.string().describe('The version of the protocol that the server speaks; empty before the first sign-in.'),
  sign_in: z
    .enum(['none', 'needed', 'done'])
    .describe('Whether the caller must sign in to the server, has signed in, or need not.'),
  issuer: z.string().nullable().describe('The authorization server, if the server wants a sign-in.'),
  resources: z.boolean().describe('Whether it has resources, which the model can read and users can attach.'),
  prompts: z
    .array(
      z.strictObject({
        name: z.string(),
        description: z.string(),
        arguments: z.array(z.strictObject({ name: z.string(), description: z.string(), required: z.boolean() })),
      }),
    )
    .describe('Texts that the server writes for a person to send.'),
  problem: z.string().nullable().describe('Why the tools could not be listed the last time.'),
  listed_at: z.iso.datetime(),
  created_at: z.iso.datetime(),
};

const listedServer = z.strictObject({
  ...summary,
  tools: z.int().describe('The number of its tools.'),
  unreviewed: z.int().describe('The number of tools that are new or changed since the last review.'),
});

const server = z
  .strictObject({
    ...summary,
    tools: z.array(serverTool),
    left_out: z.array(z.string()).describe('Why some tools of the server are not offered.'),
  })
  .meta({ id: 'McpServer' });

const params = z.object({ name: z.string() });
const holderQuery = z.object({ for: holderField });

export const listMcpServers = defineRoute({
  method: 'get',
  path: '/api/mcp',
  summary: "List the caller's MCP servers and everyone's.",
  responses: {
    200: {
      description: 'The servers by name.',
      json: z.strictObject({ servers: z.array(listedServer) }).meta({ id: 'McpServerList' }),
    },
  },
  async handle({ principal }, { mcpAdmin }: Services) {
    const servers = await mcpAdmin.list(principal);
    return { servers: servers.map((each) => renderListed(principal, each)) };
  },
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
        .boolean('private_network must be true or false.')
        .default(false)
        .describe("Allow the server's origin although it is on a private network. Operators only."),
      trust_annotations: z
        .boolean('trust_annotations must be true or false.')
        .default(false)
        .describe('Repeat calls after a crash if the server says that this is harmless. Operators only.'),
      client_id: z
        .string('client_id must be a string.')
        .optional()
        .describe(
          "Of a client that you registered with the server's authorization server, if it registers none itself.",
        ),
      client_secret: z.string('client_secret must be a string.').optional().describe('Stored encrypted.'),
    })
    .meta({ id: 'McpServerAdd' }),
  responses: { 201: { description: 'The server with its tools, which count as reviewed.', json: server } },
  errors: [400, 409, 413, 429],
  async handle({ principal, body }, { mcpAdmin }: Services) {
    const { name, url, command, headers, for: whom } = body;
    const request = {
      name,
      url,
      command,
      headers,
      privateNetwork: body.private_network,
      trustAnnotations: body.trust_annotations,
      client: body.client_id === undefined ? undefined : { id: body.client_id, secret: body.client_secret },
    };
    return render(mcpAdmin, principal, await mcpAdmin.add(principal, request, holder(principal, whom)), whom);
  },
});

export const getMcpServer = defineRoute({
  method: 'get',
  path: '/api/mcp/{name}',
  summary: 'Get an MCP server with its tools: of the given holder, or the one that takes precedence.',
  params,
  query: z.object({ for: source.optional() }),
  responses: { 200: { description: 'The server.', json: server } },
  errors: [400, 404],
  async handle({ principal, params: { name }, query }, { mcpAdmin }: Services) {
    return renderServer(principal, await mcpAdmin.get(principal, name, query.for));
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
  summary: 'Start an OAuth sign-in to an MCP server, for the caller or, as an operator, for everyone without one.',
  params,
  query: holderQuery,
  responses: {
    200: {
      description: 'Where to send the browser. It comes back to `/tools/callback`.',
      json: z.strictObject({ url: z.url() }).meta({ id: 'McpSignInBegun' }),
    },
  },
  errors: [400, 404, 429],
  async handle({ principal, params: { name }, query, request }, { mcpAdmin, site }: Services) {
    const redirectUri = addressOf(request, site, CALLBACK);
    return { url: await mcpAdmin.beginSignIn(principal, name, holder(principal, query.for), redirectUri) };
  },
});

const finishMcpSignIn = defineRoute({
  method: 'post',
  path: '/api/mcp/sign-in/finish',
  summary: 'Finish an OAuth sign-in to an MCP server with the parameters that the provider sent back.',
  body: z
    .object({
      state: z.string('state is required and must be a string.').max(500).describe('It begins with `mcp:`.'),
      code: z.string('code is required and must be a string.').min(1, 'code must not be empty.').max(8192),
      iss: z.string('iss must be a string.').max(2000).optional().describe('The issuer, if the provider sent it.'),
    })
    .meta({ id: 'McpSignInAnswer' }),
  responses: { 204: { description: 'The caller is signed in, and the tools are listed.' } },
  errors: [400, 413],
  async handle({ principal, body }, { mcpAdmin }: Services) {
    await mcpAdmin.finishSignIn(principal, body);
  },
});

/** The page of the app where sign-ins of tools come back, too. */
const CALLBACK = '/tools/callback';

export const mcpRoutes = [
  beginMcpSignIn,
  finishMcpSignIn,
  listMcpServers,
  addMcpServer,
  getMcpServer,
  refreshMcpServer,
  acceptMcpTools,
  removeMcpServer,
];

type Source = z.infer<typeof source>;

const holder = (principal: Principal, whom: Source) => (whom === 'everyone' ? 'everyone' : principal);

async function render(mcpAdmin: McpAdmin, principal: Principal, found: McpServer, whom: Source) {
  const signIn = await mcpAdmin.signInState(found, principal);
  return renderServer(principal, { ...found, source: whom, hidden: false, signIn });
}

function renderSummary(principal: Principal, found: ListedMcpServer) {
  const { name, hidden, privateNetwork, trustAnnotations, headers, discovery, offers, problem } = found;
  return {
    name,
    url: shownUrl(principal, found),
    for: found.source,
    hidden,
    private_network: privateNetwork,
    trust_annotations: trustAnnotations,
    headers: headers.map((header) => header.name),
    protocol: discovery.version,
    sign_in: found.signIn,
    issuer: found.oauth?.issuer ?? null,
    resources: offers.resources,
    prompts: offers.prompts.map((prompt) => ({ ...prompt, arguments: [...prompt.arguments] })),
    problem,
    listed_at: found.listedAt.toISOString(),
    created_at: found.createdAt.toISOString(),
  };
}

/** The query of an address can hold a key of the operator. */
function shownUrl(principal: Principal, { url, command, source: whose }: ListedMcpServer): string {
  if (whose === 'me' || isOperator(principal)) return url;
  if (command) return 'stdio:';
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

function renderListed(principal: Principal, found: ListedMcpServer): z.infer<typeof listedServer> {
  const unreviewed = found.tools.filter((tool) => !isReviewed(found, tool)).length;
  return { ...renderSummary(principal, found), tools: found.tools.length, unreviewed };
}

function renderServer(principal: Principal, found: ListedMcpServer): z.infer<typeof server> {
  const tools = found.tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    parameters: { ...tool.parameters },
    read_only: tool.readOnly,
    destructive: tool.destructive,
    idempotent: tool.idempotent,
    reviewed: isReviewed(found, tool),
    description_before: isReviewed(found, tool)
      ? null
      : (found.accepted.find(({ name }) => name === tool.name)?.description ?? null),
  }));
  return { ...renderSummary(principal, found), tools, left_out: [...found.leftOut] };
}
