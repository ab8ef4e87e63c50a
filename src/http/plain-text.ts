import type { FastifyReply } from 'fastify';

/** The answer of every protected route while the database is unavailable. */
export const UNAVAILABLE = 'Database unavailable';

export function sendText(reply: FastifyReply, status: number, text: string): FastifyReply {
  return reply.code(status).type('text/plain; charset=utf-8').send(text);
}
