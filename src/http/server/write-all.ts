import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

/**
 * Writes a JSON body, calls `act` once the whole body was written, and then ends the answer: a client that has all of it can
 * count on `act` having run. `act` is not called when the client is gone before.
 */
export async function sendThenAct(reply: FastifyReply, body: object, act: () => Promise<void>): Promise<FastifyReply> {
  const { raw } = reply.hijack();
  raw.writeHead(reply.statusCode, {
    'content-type': 'application/json; charset=utf-8',
    ...(reply.getHeaders() as Record<string, string>),
  });
  try {
    if (await writeAll(raw, JSON.stringify(body))) await act();
  } finally {
    raw.end();
  }
  return reply;
}

/** Whether everything up to the end of `text` was written to the connection, or the client disconnected before. */
export function writeAll(raw: ServerResponse, text: string): Promise<boolean> {
  return new Promise((resolve) => {
    raw.once('close', () => resolve(false));
    raw.write(text, (error) => resolve(!error));
  });
}
