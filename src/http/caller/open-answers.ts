import type { FastifyReply } from 'fastify';
import type { UserId } from '#domain/principal.ts';

export type OpenAnswers = ReturnType<typeof createOpenAnswers>;

/** The answers that are being sent, by user. */
export function createOpenAnswers() {
  const open = new Map<UserId, Set<FastifyReply>>();

  return {
    follow(userId: UserId, reply: FastifyReply): void {
      const replies = open.get(userId) ?? new Set();
      open.set(userId, replies.add(reply));
      reply.raw.once('close', () => {
        replies.delete(reply);
        if (replies.size === 0 && open.get(userId) === replies) open.delete(userId);
      });
    },

    /** Cuts the streams of a user. Their clients connect again, and continue in another cell. */
    cut(userId: UserId): void {
      for (const { raw } of open.get(userId) ?? []) if (raw.headersSent) raw.destroy();
    },
  };
}
