import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { Accounts } from '#auth/accounts.ts';
import { MAX_ATTACHMENT_BYTES, MAX_ATTACHMENTS } from '../chat/wire-chat.ts';
import type { me } from './wire-me.ts';

/** What is the same for everybody. */
export type AppFacts = {
  readonly version: string;
  readonly model: { readonly provider: string; readonly name: string };
  readonly contextTokens: () => Promise<number>;
  readonly singleSignOn: boolean;
  readonly sendsPerMinute: number;
  readonly bodyBytes: number;
};

/** `GET /api/me`: who asks, and what their app needs to begin with. */
export function meRoute(accounts: Accounts, facts: AppFacts) {
  return async (app: FastifyInstance): Promise<void> => {
    app.get('/me', async ({ principal }): Promise<z.infer<typeof me>> => {
      const user = await accounts.findSelf(principal);
      const { provider, name } = facts.model;
      return {
        user_id: principal.userId,
        name: user?.name ?? 'Operator',
        email: user?.email ?? null,
        role: principal.role,
        version: facts.version,
        model: { provider, name, demo: provider === 'demo', context_tokens: await facts.contextTokens() },
        single_sign_on: facts.singleSignOn,
        limits: {
          sends_per_minute: facts.sendsPerMinute,
          body_bytes: facts.bodyBytes,
          attachments: MAX_ATTACHMENTS,
          attachment_bytes: MAX_ATTACHMENT_BYTES,
        },
      };
    });
  };
}
