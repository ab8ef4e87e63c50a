import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Threads } from '#agent/threads.ts';
import { NotFound } from '#domain/errors.ts';
import { threadIdOf } from './threads.ts';

type Part = { Params: { id: string; item: string; index: string } };

/** What a browser may show in place. Everything else it must save: a page that somebody sent would be one of ours. */
const SHOWN = /^image\/(?:png|jpeg|gif|webp|avif)$/;

/** `GET /api/threads/{id}/items/{item}/parts/{index}`: the bytes of an image or a file. */
export function attachmentRoute(threads: Threads) {
  return async (app: FastifyInstance): Promise<void> => {
    app.get<Part>('/threads/:id/items/:item/parts/:index', async (request, reply) => {
      const { item, index } = request.params;
      const place = z
        .object({ item: z.uuid(), index: z.coerce.number<string>().int().min(0) })
        .safeParse({ item, index });
      if (!place.success) throw new NotFound('There is no such attachment.');
      const threadId = threadIdOf(request.params);
      const part = await threads.getPart(request.principal, threadId, place.data.item, place.data.index);
      if (part.type === 'text') throw new NotFound('There is no such attachment.');

      const isShown = SHOWN.test(part.mediaType);
      const name = part.type === 'file' && part.filename ? part.filename : 'attachment';
      return reply
        .type(isShown ? part.mediaType : 'application/octet-stream')
        .header('cache-control', 'private, max-age=31536000, immutable')
        .header('cross-origin-resource-policy', 'same-origin')
        .header('content-disposition', `${isShown ? 'inline' : 'attachment'}; filename*=UTF-8''${encode(name)}`)
        .send(Buffer.from(part.base64, 'base64'));
    });
  };
}

/** As RFC 5987 has it, which allows less than a URL does. */
const encode = (name: string) =>
  encodeURIComponent(name.toWellFormed()).replace(/['()*!]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
