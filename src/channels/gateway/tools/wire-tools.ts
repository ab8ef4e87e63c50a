import { z } from 'zod';

/** A sentence that goes on from the tool's name; `dangerous`: it may change something elsewhere, or send a secret. */
const sentence = z.strictObject({ text: z.string(), dangerous: z.boolean() });

const requiredSecret = z.strictObject({
  name: z.string(),
  prompt: z.string(),
  optional: z.boolean(),
  stored: z.boolean().describe('Whether the caller has it, of their own or as one for everyone.'),
});

/** How the tool gets its credential. `oauth`: by signing in, here or with the program `reborn tool auth`. */
const auth = z.strictObject({
  secret_name: z.string(),
  display_name: z.string().nullable(),
  instructions: z.string().nullable(),
  setup_url: z.string().nullable(),
  token_hint: z.string().nullable(),
  oauth: z.boolean(),
});

export const wireTool = z
  .strictObject({
    name: z.string(),
    description: z.string().nullable(),
    source: z.enum(['builtin', 'installed']),
    version: z.string().nullable(),
    parameters: z.unknown().describe('JSON Schema of its arguments.'),
    capabilities: z.array(sentence).describe('Empty for a builtin tool.'),
    auth: auth.nullable(),
    needs_sign_in: z.boolean().describe('Whether the caller has yet to give it its credential.'),
    quarantined_until: z.iso
      .datetime()
      .nullable()
      .describe('Until when the replica that answers refuses its calls, because it crashed too often.'),
    secrets: z.array(requiredSecret).describe('What its setup asks for.'),
    installed_at: z.iso.datetime().nullable(),
    updated_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'AgentTool' });

export const toolList = z.strictObject({ tools: z.array(wireTool) }).meta({ id: 'ToolList' });

/** With `dry_run` everything is checked and shown, and nothing is stored. `replace` is needed for a name that exists. */
export const toolInstall = z
  .object({
    name: z.string('name is required and must be a string.'),
    wasm: z.base64('wasm must be the component in base64.').min(1, 'wasm must not be empty.'),
    capabilities: z.string('capabilities must be the text of a capabilities file.').nullish(),
    dry_run: z.boolean('dry_run must be true or false.').default(false),
    replace: z.boolean('replace must be true or false.').default(false),
  })
  .meta({ id: 'ToolInstall' });

export const toolPreview = z
  .strictObject({
    name: z.string(),
    description: z.string(),
    version: z.string().nullable(),
    hash: z.string(),
    capabilities: z.array(sentence),
    warnings: z.array(z.string()),
    replaces: z.string().nullable().describe('The hash of the tool that has this name now.'),
    installed: z.boolean(),
  })
  .meta({ id: 'ToolPreview' });

/** One of the secrets that the tool names. It is never told again. `everyone` is for the operator. */
export const toolSecret = z
  .object({
    name: z.string('name is required and must be a string.'),
    value: z.string('value is required and must be a string.').min(1, 'value must not be empty.').max(65_536),
    for: z.enum(['me', 'everyone'], 'for must be me or everyone.').default('me'),
  })
  .meta({ id: 'ToolSecret' });

/** Where a browser goes to sign in. It comes back to `/tools/callback` of this service. */
export const signInBegun = z.strictObject({ url: z.url() }).meta({ id: 'SignInBegun' });

/** What the provider sent the browser back with. */
export const signInAnswer = z
  .object({
    state: z.string('state is required and must be a string.').max(500),
    code: z.string('code is required and must be a string.').min(1, 'code must not be empty.').max(8192),
  })
  .meta({ id: 'SignInAnswer' });
