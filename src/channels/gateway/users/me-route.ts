import { z } from 'zod';
import type { Accounts } from '#auth/accounts.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { MAX_ATTACHMENT_BYTES, MAX_ATTACHMENTS } from '../chat/chat-request.ts';

/** What is the same for every user. */
export type AppFacts = {
  readonly version: string;
  readonly model: { readonly provider: string; readonly name: string };
  readonly contextTokens: () => Promise<number>;
  readonly singleSignOn: boolean;
  readonly sendsPerMinute: number;
  readonly bodyBytes: number;
};

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
    single_sign_on: z.boolean(),
    limits: z.strictObject({
      sends_per_minute: z.int(),
      body_bytes: z.int(),
      attachments: z.int(),
      attachment_bytes: z.int(),
    }),
  })
  .meta({ id: 'Me' });

export const meRoute = defineRoute({
  method: 'get',
  path: '/api/me',
  summary: 'Get the caller, and what an app needs to know at its start.',
  responses: { 200: { description: 'The caller.', json: me } },
  async handle({ principal }, { accounts, appFacts }: { accounts: Accounts; appFacts: AppFacts }) {
    const user = await accounts.findSelf(principal);
    const { provider, name } = appFacts.model;
    return {
      user_id: principal.userId,
      name: user?.name ?? 'Operator',
      email: user?.email ?? null,
      role: principal.role,
      version: appFacts.version,
      model: { provider, name, demo: provider === 'demo', context_tokens: await appFacts.contextTokens() },
      single_sign_on: appFacts.singleSignOn,
      limits: {
        sends_per_minute: appFacts.sendsPerMinute,
        body_bytes: appFacts.bodyBytes,
        attachments: MAX_ATTACHMENTS,
        attachment_bytes: MAX_ATTACHMENT_BYTES,
      },
    };
  },
});
