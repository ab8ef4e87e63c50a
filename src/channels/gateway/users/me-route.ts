import { z } from 'zod';
import type { UserPreferences } from '#agent/preferences.ts';
import type { Accounts } from '#auth/accounts.ts';
import type { Principal } from '#domain/principal.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { readFields } from '#http/routes/render-as.ts';
import { MAX_ATTACHMENT_BYTES, MAX_ATTACHMENTS } from '../chat/chat-request.ts';

/** What is the same for every user. */
export type AppFacts = {
  readonly version: string;
  /** The default model of the installation. */
  readonly model: () => Promise<{ readonly provider: string; readonly name: string; readonly contextTokens: number }>;
  readonly singleSignOn: boolean;
  readonly sharing: boolean;
  readonly codeHosts: readonly string[];
  readonly sendsPerMinute: number;
  readonly bodyBytes: number;
};

const whenBusy = z.enum(['steer', 'queue'], 'when_busy must be steer or queue.');

const me = z
  .strictObject({
    user_id: z.string(),
    name: z.string(),
    email: z.string().nullable(),
    role: z.enum(['operator', 'member']),
    version: z.string(),
    model: z.strictObject({
      provider: z.string(),
      name: z.string(),
      demo: z.boolean(),
      context_tokens: z.int().describe('The size of its context window.'),
    }),
    preferences: z.strictObject({
      default_model: z.string().nullable().describe('The model of new threads; null for the default model.'),
      generate_titles: z.boolean().describe('Whether a model names new threads.'),
      when_busy: whenBusy.describe(
        'What happens to a message that is sent in an app or a chat while the agent works. `steer`: it is read after the present step; `queue`: after the answer.',
      ),
      remembers: z.boolean().describe('Whether the agent may write notes.'),
    }),
    single_sign_on: z.boolean(),
    sharing: z.boolean().describe('Whether threads can be shared by a link.'),
    code_hosts: z.array(z.string()).describe('The hosts that code can reach in threads that allow it.'),
    limits: z.strictObject({
      sends_per_minute: z.int(),
      body_bytes: z.int(),
      attachments: z.int(),
      attachment_bytes: z.int(),
    }),
  })
  .meta({ id: 'Me' });

type Services = {
  readonly accounts: Accounts;
  readonly appFacts: AppFacts;
  readonly preferences: UserPreferences;
};

export const meRoute = defineRoute({
  method: 'get',
  path: '/api/me',
  summary: 'Get the caller, and what an app needs to know at its start.',
  responses: { 200: { description: 'The caller.', json: me } },
  handle: ({ principal }, services: Services) => renderMe(principal, services),
});

const changeMe = defineRoute({
  method: 'patch',
  path: '/api/me',
  summary: "Change the caller's preferences.",
  body: z
    .strictObject({
      default_model: z
        .string('default_model must be the id of a model.')
        .min(1, 'default_model must be the id of a model.')
        .max(256, 'default_model may have 256 characters.')
        .nullable()
        .optional(),
      generate_titles: z.boolean().optional(),
      when_busy: whenBusy.optional(),
      remembers: z.boolean().optional(),
    })
    .meta({ id: 'MeChange' }),
  responses: { 200: { description: 'The caller after the change.', json: me } },
  errors: [400, 413],
  async handle({ principal, body }, services: Services) {
    await services.preferences.change(principal, readFields(body));
    return renderMe(principal, services);
  },
});

export const meRoutes = [meRoute, changeMe];

async function renderMe(principal: Principal, services: Services): Promise<z.infer<typeof me>> {
  const { accounts, appFacts, preferences } = services;
  const user = await accounts.findSelf(principal);
  const { provider, name, contextTokens } = await appFacts.model();
  const { defaultModel, generateTitles, whenBusy: busy, remembers } = await preferences.read(principal);
  return {
    user_id: principal.userId,
    name: user?.name ?? 'Operator',
    email: user?.email ?? null,
    role: principal.role,
    version: appFacts.version,
    model: { provider, name, demo: provider === 'demo', context_tokens: contextTokens },
    preferences: { default_model: defaultModel, generate_titles: generateTitles, when_busy: busy, remembers },
    single_sign_on: appFacts.singleSignOn,
    sharing: appFacts.sharing,
    code_hosts: [...appFacts.codeHosts],
    limits: {
      sends_per_minute: appFacts.sendsPerMinute,
      body_bytes: appFacts.bodyBytes,
      attachments: MAX_ATTACHMENTS,
      attachment_bytes: MAX_ATTACHMENT_BYTES,
    },
  };
}
