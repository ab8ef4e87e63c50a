import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ChatAdmin } from '#agent/chats/chat-admin.ts';
import { NotFound } from '#domain/errors.ts';
import { type ChatAccountId, isUuid } from '#domain/ids.ts';

const MAX_BODY_BYTES = 1024 * 1024;

/**
 * `POST /channels/slack/{id}`: events, presses of buttons and slash commands that Slack sends. Slack proves itself by a signature over
 * the body as it came, so nothing is parsed before that is checked.
 */
export function slackUpdateRoute(chats: Pick<ChatAdmin, 'acceptSigned'>) {
  return async (app: FastifyInstance): Promise<void> => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) => body);

    app.post<{ Params: { id: string } }>(
      '/channels/slack/:id',
      { bodyLimit: MAX_BODY_BYTES },
      async ({ params: { id }, headers, body }, reply) => {
        if (!isUuid<ChatAccountId>(id) || !Buffer.isBuffer(body)) throw new NotFound('There is no such channel.');
        const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded') ?? false;
        const update = await chats.acceptSigned('slack', id, { headers, body }, isForm ? parseForm : parseJson);
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
  return payload === null ? Object.fromEntries(fields) : parseJson(payload);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Slack tries out a new address with a word that must come back. */
function challengeIn(update: unknown): object | undefined {
  const isTrial =
    typeof update === 'object' && update !== null && 'type' in update && update.type === 'url_verification';
  return isTrial && 'challenge' in update ? { challenge: update.challenge } : undefined;
}
