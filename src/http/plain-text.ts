import type { FastifyReply } from 'fastify';

/** What every protected route says while the database is away. */
export const UNAVAILABLE = 'Database unavailable';

export function sendText(reply: FastifyReply, status: number, text: string): FastifyReply {
  return reply.code(status).type('text/plain; charset=utf-8').send(text);
}
