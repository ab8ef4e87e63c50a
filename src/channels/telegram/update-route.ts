import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ChatAdmin } from '#agent/chats/accounts/chat-admin.ts';
import { countFailures, type Limiter } from '#http/caller/rate-limit.ts';
import { admitConnection } from '#http/server/connections.ts';

const MAX_BODY_BYTES = 64 * 1024;

type Update = { Params: { id: string } };

/**
 * `POST /channels/telegram/{id}`: updates that Telegram sends. Telegram proves itself by the secret that it was given, which is
 * checked before the body is read.
 */
export function telegramUpdateRoute(chats: Pick<ChatAdmin, 'requireSecret' | 'accept'>, limitGuesses: Limiter) {
  return async (app: FastifyInstance): Promise<void> => {
    app.addHook<Update>('onRequest', async (request) => {
      const check = () => chats.requireSecret('telegram', request.params.id, secretIn(request));
      await countFailures(limitGuesses, `channel:${request.ip}`, check);
      admitConnection(request);
    });
    app.post<Update>(
      '/channels/telegram/:id',
      { bodyLimit: MAX_BODY_BYTES },
      async ({ params: { id }, body }, reply) => {
        await chats.accept('telegram', id, body);
        return reply.code(204).send();
      },
    );
  };
}

function secretIn({ headers }: Pick<FastifyRequest, 'headers'>): string {
  const given = headers['x-telegram-bot-api-secret-token'];
  return typeof given === 'string' ? given : '';
}
