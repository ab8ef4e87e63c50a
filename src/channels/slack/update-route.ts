import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ChatAdmin } from '#agent/chats/accounts/chat-admin.ts';
import { jsonOf } from '#domain/text/json.ts';
import { countFailures, type Limiter } from '#http/caller/rate-limit.ts';
import { isSignable } from './credentials.ts';

const MAX_BODY_BYTES = 1024 * 1024;

type Update = { Params: { id: string } };

/**
 * `POST /channels/slack/{id}`: events, presses of buttons and slash commands that Slack sends. Slack proves itself by a signature over
 * the body as it came. The body is read for an existing account and a recent time, and parsed once the signature is checked.
 */
export function slackUpdateRoute(chats: Pick<ChatAdmin, 'requireSigning' | 'acceptSigned'>, limitGuesses: Limiter) {
  const counted = <T>(ip: string, check: () => Promise<T>) => countFailures(limitGuesses, `channel:${ip}`, check);

  return async (app: FastifyInstance): Promise<void> => {
    app.addHook<Update>('onRequest', ({ params, headers, ip }) =>
      counted(ip, () => chats.requireSigning('slack', params.id, isSignable(headers))),
    );
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) => body);

    app.post<Update>(
      '/channels/slack/:id',
      { bodyLimit: MAX_BODY_BYTES },
      async ({ params: { id }, headers, ip, body: given }, reply) => {
        const body = Buffer.isBuffer(given) ? given : Buffer.alloc(0);
        const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded') ?? false;
        const parse = isForm ? parseForm : jsonOf;
        const update = await counted(ip, () => chats.acceptSigned('slack', id, { headers, body }, parse));
        // An empty answer: Slack would show any text to the person who has pressed or typed.
        return reply.code(200).send(challengeIn(update));
      },
    );
  };
}

/** A press is JSON in the field `payload`; a slash command is the fields themselves. */
function parseForm(body: string): unknown {
  const fields = new URLSearchParams(body);
  const payload = fields.get('payload');
  return payload === null ? Object.fromEntries(fields) : jsonOf(payload);
}

/** Slack tries out a new address with a word that must come back. */
function challengeIn(update: unknown): object | undefined {
  const isTrial =
    typeof update === 'object' && update !== null && 'type' in update && update.type === 'url_verification';
  return isTrial && 'challenge' in update ? { challenge: update.challenge } : undefined;
}
