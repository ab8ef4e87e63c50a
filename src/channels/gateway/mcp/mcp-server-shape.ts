import { z } from 'zod';
import type { ListedMcpServer } from '#agent/administration/mcp/list-servers.ts';
import type { McpAdmin } from '#agent/administration/mcp/mcp-admin.ts';
import { isOperator, type Principal } from '#domain/principal.ts';
import { isReviewed, type McpServer } from '#domain/tool/mcp-server.ts';
import { renderAs } from '#http/routes/render-as.ts';

const source = z.enum(['me', 'everyone']);

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

const summary = z.strictObject({
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
});

export const listedServer = summary.extend({
  tools: z.int().describe('The number of its tools.'),
  reading: z.int().describe('The number of tools of which the server says that they only read.'),
  unreviewed: z.int().describe('The number of tools that are new or changed since the last review.'),
});

export const server = summary
  .extend({
    tools: z.array(serverTool),
    left_out: z.array(z.string()).describe('Why some tools of the server are not offered.'),
  })
  .meta({ id: 'McpServer' });

export async function render(mcpAdmin: McpAdmin, principal: Principal, found: McpServer, given: string) {
  const signIn = await mcpAdmin.signInState(found, principal);
  return renderServer(principal, { ...found, source: given === 'everyone' ? given : 'me', hidden: false, signIn });
}

const renderSummary = (principal: Principal, found: ListedMcpServer) =>
  renderAs(summary, found, {
    url: shownUrl(principal, found),
    for: found.source,
    headers: found.headers.map((header) => header.name),
    protocol: found.discovery.version,
    issuer: found.oauth?.issuer ?? null,
    resources: found.offers.resources,
    prompts: found.offers.prompts.map((prompt) => ({ ...prompt, arguments: [...prompt.arguments] })),
  });

/** The query of an address can hold a key of the operator. */
function shownUrl(principal: Principal, { url, command, source: whose }: ListedMcpServer): string {
  if (whose === 'me' || isOperator(principal)) return url;
  if (command) return 'stdio:';
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

export function renderListed(principal: Principal, found: ListedMcpServer): z.infer<typeof listedServer> {
  const unreviewed = found.tools.filter((tool) => !isReviewed(found, tool)).length;
  const reading = found.tools.filter(({ readOnly }) => readOnly).length;
  return { ...renderSummary(principal, found), tools: found.tools.length, reading, unreviewed };
}

export function renderServer(principal: Principal, found: ListedMcpServer): z.infer<typeof server> {
  const tools = found.tools.map((tool) => {
    const reviewed = isReviewed(found, tool);
    const before = found.accepted.find(({ name }) => name === tool.name)?.description ?? null;
    return renderAs(serverTool, tool, { reviewed, description_before: reviewed ? null : before });
  });
  return { ...renderSummary(principal, found), tools, left_out: [...found.leftOut] };
}
