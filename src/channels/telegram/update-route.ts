import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ChatAdmin } from '#agent/chats/chat-admin.ts';
import { NotFound } from '#domain/errors.ts';
import { type ChatAccountId, isUuid } from '#domain/ids.ts';

const MAX_BODY_BYTES = 1024 * 1024;

/** `POST /channels/telegram/{id}`: updates that Telegram sends. Telegram proves itself by the secret that it was given. */
export function telegramUpdateRoute(chats: Pick<ChatAdmin, 'accept'>) {
  return async (app: FastifyInstance): Promise<void> => {
    app.post<{ Params: { id: string } }>(
      '/channels/telegram/:id',
      { bodyLimit: MAX_BODY_BYTES },
      async (request, reply) => {
        const { id } = request.params;
        if (!isUuid<ChatAccountId>(id)) throw new NotFound('There is no such channel.');
        await chats.accept('telegram', id, secretIn(request), request.body);
        return reply.code(204).send();
      },
    );
  };
}

function secretIn({ headers }: FastifyRequest): string {
  const given = headers['x-telegram-bot-api-secret-token'];
  return typeof given === 'string' ? given : '';
}
