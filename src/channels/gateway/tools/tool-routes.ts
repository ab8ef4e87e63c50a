import { z } from 'zod';
import type { ListedTool } from '#agent/administration/list-tools.ts';
import type { ToolAdmin } from '#agent/administration/tool-admin.ts';
import { TOOL_LEVELS } from '#domain/tool/tool.ts';
import type { Site } from '#http/caller/site.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { renderAs } from '#http/routes/render-as.ts';
import { callCard, renderCard } from '../gates/gate-shape.ts';
import { holder, holderField, whom } from './holder-field.ts';
import { redirectOf, signInQuery } from './sign-in-request.ts';

type Services = { readonly toolAdmin: ToolAdmin; readonly site: Site };

/** The rest of a sentence that starts with the tool's name. `dangerous`: it may change something elsewhere, or send a secret. */
const sentence = z.strictObject({ text: z.string(), dangerous: z.boolean() });

const requiredSecret = z.strictObject({
  name: z.string(),
  prompt: z.string(),
  optional: z.boolean(),
  stored: z.boolean().describe('Whether it is stored for the caller or the one who was asked for, or for everyone.'),
});

/** How the tool gets its credential. `oauth`: by signing in, here or with `reborn tool auth`. */
const toolAuth = z.strictObject({
  secret_name: z.string(),
  display_name: z.string().nullable(),
  instructions: z.string().nullable(),
  setup_url: z.string().nullable(),
  token_hint: z.string().nullable(),
  environment: z
    .string()
    .nullable()
    .describe("The variable of the service's environment that has it; null if none is set. Then nothing is stored."),
  oauth: z.boolean(),
  redirect_port: z
    .int()
    .nullable()
    .describe('Where a program on the machine of the browser must wait; null: anywhere.'),
});

const LEVELS = [...TOOL_LEVELS, 'depends'] as const;

const tool = z
  .strictObject({
    name: z.string(),
    description: z.string().nullable(),
    source: z.enum(['builtin', 'installed', 'mcp']),
    mcp_server: z.string().nullable().describe('The MCP server that it belongs to.'),
    version: z.string().nullable(),
    level: z.enum(LEVELS).describe("Whether the caller's calls run, with the operator's policy."),
    own_level: z
      .enum(LEVELS)
      .describe('The level without a policy. `depends`: on the arguments; `ask`: unless the user said "always".'),
    parameters: z.unknown().describe('JSON Schema of its arguments.'),
    capabilities: z.array(sentence).describe('Empty for a tool that was not installed.'),
    auth: toolAuth.nullable(),
    needs_sign_in: z.boolean().describe('Whether it lacks a credential of the caller.'),
    quarantined_until: z.iso
      .datetime()
      .nullable()
      .describe('Until when this replica refuses its calls, because it crashed too often.'),
    reads: z
      .boolean()
      .nullable()
      .describe(
        'Whether the operator said at the installation that it only reads. Otherwise it asks after text by others, unless it can reach nothing. null for a tool that was not installed.',
      ),
    secrets: z.array(requiredSecret).describe('The secrets that its setup asks for.'),
    hash: z.string().nullable().describe('Of the installed component.'),
    wit_version: z.string().nullable().describe('The version of the contract that the component was made for.'),
    installed_at: z.iso.datetime().nullable(),
    updated_at: z.iso.datetime().nullable(),
    card: callCard,
  })
  .meta({ id: 'AgentTool' });

const toolPreview = z
  .strictObject({
    name: z.string(),
    description: z.string(),
    version: z.string().nullable(),
    hash: z.string(),
    capabilities: z.array(sentence),
    warnings: z.array(z.string()),
    replaces: z.string().nullable().describe('The hash of the installed tool of this name.'),
    installed: z.boolean(),
  })
  .meta({ id: 'ToolPreview' });

const toolParams = z.object({ name: z.string() });

/** A component of 32 MiB in base64, and its capabilities. */
const MAX_INSTALL_BYTES = 48 * 1024 * 1024;

export const listTools = defineRoute({
  method: 'get',
  path: '/api/tools',
  summary: "List the agent's tools and what each may do.",
  query: z.object({ for: whom.optional().describe('A user or `everyone`, for whom an operator lists them.') }),
  responses: {
    200: {
      description: 'Every tool.',
      json: z.strictObject({ tools: z.array(tool) }).meta({ id: 'ToolList' }),
    },
  },
  errors: [400],
  async handle({ principal, query }, { toolAdmin }: Services) {
    return { tools: (await toolAdmin.list(principal, holder(principal, query.for ?? 'me'))).map(renderTool) };
  },
});

export const installTool = defineRoute({
  method: 'post',
  path: '/api/tools',
  summary: 'Install a tool. With `dry_run`, only check it and show what it may do.',
  access: 'operator',
  bodyBytes: MAX_INSTALL_BYTES,
  body: z
    .object({
      name: z.string('name is required and must be a string.'),
      wasm: z.base64('wasm must be the component in base64.').min(1, 'wasm must not be empty.'),
      capabilities: z.string('capabilities must be the text of a capabilities file.').nullish(),
      dry_run: z.boolean().default(false),
      replace: z.boolean().default(false).describe('Needed when the name exists already.'),
      reads: z
        .boolean()
        .default(false)
        .describe(
          'The tool only reads, at a service that keeps what it is asked to itself: its calls run also after text by others. Only if its capabilities have no methods but GET and HEAD.',
        ),
    })
    .meta({ id: 'ToolInstall' }),
  responses: {
    200: { description: 'What the tool may do. Nothing was stored.', json: toolPreview },
    201: { description: 'The tool is installed.', json: toolPreview },
  },
  errors: [400, 409, 413],
  async handle({ principal, body, reply }, { toolAdmin }: Services) {
    const { name, wasm, capabilities, dry_run: isDry, replace, reads } = body;
    const upload = { name, wasm: Buffer.from(wasm, 'base64'), capabilities: capabilities ?? undefined, reads };
    const { sentences, ...preview } = await toolAdmin.add(principal, upload, { install: !isDry, replace });
    reply.code(isDry ? 200 : 201);
    return { ...preview, warnings: [...preview.warnings], capabilities: [...sentences], installed: !isDry };
  },
});

const removeTool = defineRoute({
  method: 'delete',
  path: '/api/tools/{name}',
  summary: 'Remove an installed tool.',
  access: 'operator',
  params: toolParams,
  responses: { 204: { description: 'The tool is removed.' } },
  errors: [404],
  async handle({ principal, params }, { toolAdmin }: Services) {
    await toolAdmin.remove(principal, params.name);
  },
});

const putToolSecret = defineRoute({
  method: 'post',
  path: '/api/tools/{name}/secret',
  summary: 'Store a secret that a tool needs, for the caller or, as an operator, for a user or everyone.',
  params: toolParams,
  body: z
    .object({
      name: z.string('name is required and must be a string.'),
      value: z.string('value is required and must be a string.').min(1, 'value must not be empty.').max(65_536),
      for: holderField,
    })
    .meta({ id: 'ToolSecret' }),
  responses: { 204: { description: 'The secret is stored. It is never shown again.' } },
  errors: [400, 404, 413],
  async handle({ principal, params, body: { name, value, for: given } }, { toolAdmin }: Services) {
    await toolAdmin.putSecret(principal, params.name, { name, value, holder: holder(principal, given) });
  },
});

const beginToolSignIn = defineRoute({
  method: 'post',
  path: '/api/tools/{name}/sign-in',
  summary: "Start an OAuth sign-in to a tool's service, for the caller or, as an operator, for a user or everyone.",
  params: toolParams,
  query: signInQuery,
  responses: {
    200: {
      description: 'Where to send the browser. It comes back to `/tools/callback`.',
      json: z.strictObject({ url: z.url() }).meta({ id: 'SignInBegun' }),
    },
  },
  errors: [400, 404],
  async handle({ principal, params: { name }, query, request }, { toolAdmin, site }: Services) {
    const redirectUri = redirectOf(request, site, query);
    return { url: await toolAdmin.beginSignIn(principal, name, holder(principal, query.for), redirectUri) };
  },
});

const finishToolSignIn = defineRoute({
  method: 'post',
  path: '/api/tools/{name}/sign-in/finish',
  summary: 'Finish an OAuth sign-in with the parameters that the provider sent back.',
  params: toolParams,
  query: z.object({ for: holderField.describe('As it was started.') }),
  body: z
    .object({
      state: z.string('state is required and must be a string.').max(500),
      code: z.string('code is required and must be a string.').min(1, 'code must not be empty.').max(8192),
    })
    .meta({ id: 'SignInAnswer' }),
  responses: { 204: { description: 'The sign-in is done.' } },
  errors: [400, 404, 413],
  async handle({ principal, params: { name }, query, body }, { toolAdmin }: Services) {
    await toolAdmin.finishSignIn(principal, name, holder(principal, query.for), body);
  },
});

export const toolRoutes = [listTools, installTool, removeTool, putToolSecret, beginToolSignIn, finishToolSignIn];

function renderTool(listed: ListedTool): z.infer<typeof tool> {
  const { installed, server } = listed;
  return renderAs(tool, listed, {
    source: server ? 'mcp' : installed ? 'installed' : 'builtin',
    mcp_server: server ?? null,
    version: installed?.version ?? null,
    capabilities: [...(installed?.sentences ?? [])],
    auth: installed?.auth ? renderAuth(installed.auth, installed.isInEnvironment) : null,
    quarantined_until: listed.quarantinedUntil?.toISOString() ?? null,
    reads: installed?.reads ?? null,
    secrets: [...(installed?.secrets ?? [])],
    hash: installed?.hash ?? null,
    wit_version: installed?.witVersion ?? null,
    installed_at: installed?.installedAt.toISOString() ?? null,
    updated_at: installed?.updatedAt.toISOString() ?? null,
    ...renderCard(listed.card),
  });
}

type InstalledAuth = NonNullable<NonNullable<ListedTool['installed']>['auth']>;

function renderAuth(auth: InstalledAuth, isInEnvironment: boolean): z.infer<typeof tool>['auth'] {
  return {
    secret_name: auth.secretName,
    display_name: auth.displayName ?? null,
    instructions: auth.instructions ?? null,
    setup_url: auth.setupUrl ?? null,
    token_hint: auth.tokenHint ?? null,
    environment: isInEnvironment ? (auth.envVar ?? null) : null,
    oauth: auth.oauth !== undefined,
    redirect_port: auth.oauth?.redirectPort ?? null,
  };
}
