import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { OpenAttachment } from '#agent/attachments/attachments.ts';
import type { LoadImage } from '#agent/threads/load-image.ts';
import type { Threads } from '#agent/threads/threads.ts';
import type { ItemId } from '#domain/ids.ts';
import { isShownPicture } from '#domain/text/media-type.ts';
import { type Limiter, limitSends } from '#http/caller/rate-limit.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { uuid } from '#http/routes/uuid.ts';
import { pageLimit } from '../page.ts';
import { renderItem, threadItem } from './item-shape.ts';
import { threadParams } from './thread-shape.ts';
import { renderVersions, turnVersions } from './version-routes.ts';

type Services = { readonly threads: Threads };

export const listItems = defineRoute({
  method: 'get',
  path: '/api/threads/{id}/items',
  summary: 'List the items that a thread shows, newest page first.',
  params: threadParams,
  query: z.object({
    limit: pageLimit(50, 200),
    before: uuid<ItemId>('before must be the id of an item of this thread.').optional(),
  }),
  responses: {
    200: {
      description: 'The newest items before `before`, oldest first.',
      json: z
        .strictObject({
          items: z.array(threadItem),
          next_before: z.uuid().nullable().describe('`before` of the previous page; null at the start of the thread.'),
          line: z.int().min(0).describe('Grows when another version of a message is shown.'),
          versions: z.array(turnVersions).describe('Of the turns on this page that have other versions.'),
          refused: z
            .array(z.uuid())
            .describe('The turns on this page whose messages were refused at a gate: no model has read them.'),
          steered: z.array(z.uuid()).describe('The turns on this page that a later message has ended early.'),
          assistants: z
            .array(z.strictObject({ turn_id: z.uuid(), name: z.string() }))
            .optional()
            .describe('The turns on this page that an assistant answers. Left out if there are none.'),
        })
        .meta({ id: 'ItemList' }),
    },
  },
  errors: [400, 404],
  async handle({ principal, params, query: { before, limit } }, { threads }: Services) {
    const found = await threads.items(principal, params.id, { before, limit: limit + 1 });
    const page = found.items.slice(-limit);
    return {
      items: page.map(renderItem),
      next_before: found.items.length > limit ? (page[0]?.id ?? null) : null,
      line: found.line,
      versions: found.versions.map(renderVersions),
      refused: [...found.refused],
      steered: [...found.steered],
      ...(found.assistants.length > 0 && {
        assistants: found.assistants.map(({ turnId, name }) => ({ turn_id: turnId, name })),
      }),
    };
  },
});

const getPart = defineRoute({
  method: 'get',
  path: '/api/threads/{id}/items/{item}/parts/{index}',
  summary: 'Get the bytes of an image or a file.',
  params: threadParams.extend({
    item: uuid<ItemId>('This attachment does not exist.'),
    index: z.coerce
      .number<string>('This attachment does not exist.')
      .int('This attachment does not exist.')
      .min(0, 'This attachment does not exist.'),
  }),
  responses: { 200: { description: 'The bytes, with their media type or as application/octet-stream.' } },
  errors: [404],
  async handle({ principal, params, request, reply }, { threads }: Services) {
    const attachment = await threads.getAttachment(principal, params.id, params.item, params.index);
    reply.header('cache-control', 'private, max-age=31536000, immutable');
    reply.header('cross-origin-resource-policy', 'same-origin');
    return sendAttachment(request, reply, attachment);
  },
});

/** The bytes of an attachment, in a way that can't run in a browser. */
export async function sendAttachment(
  request: FastifyRequest,
  reply: FastifyReply,
  { mediaType, filename, hash, read }: OpenAttachment,
): Promise<FastifyReply> {
  // A browser must save all others: a shown HTML page would run with the rights of the app.
  const isShown = isShownPicture(mediaType);
  const etag = `"${hash}"`;
  const name = encode(filename || 'attachment');
  reply
    .type(isShown ? mediaType : 'application/octet-stream')
    .header('etag', etag)
    .header('content-security-policy', "default-src 'none'; sandbox")
    .header('x-content-type-options', 'nosniff')
    .header('content-disposition', `${isShown ? 'inline' : 'attachment'}; filename*=UTF-8''${name}`);
  return request.headers['if-none-match'] === etag ? reply.code(304).send() : reply.send(await read());
}

const getImage = defineRoute({
  method: 'get',
  path: '/api/threads/{id}/items/{item}/image',
  summary: 'Fetch an image that a message names by its address.',
  params: threadParams.extend({ item: uuid<ItemId>('This item does not exist.') }),
  query: z.object({
    url: z
      .string('url must be the address of an image.')
      .max(4096, 'url may have 4096 characters.')
      .describe('The address, as the message has it. Only https, and only hosts on the public internet.'),
  }),
  responses: { 200: { description: 'The image: PNG, JPEG, GIF, WebP or AVIF, up to 10 MiB.' } },
  errors: [400, 404, 429],
  before: (request, { limiter }: ImageServices) => limitSends(limiter)(request),
  async handle({ principal, params, query, reply }, { loadImage }: ImageServices) {
    const { mediaType, bytes } = await loadImage(principal, params.id, params.item, query.url);
    return reply
      .type(mediaType)
      .header('cache-control', 'private, max-age=3600')
      .header('cross-origin-resource-policy', 'same-origin')
      .send(bytes);
  },
});

const vouch = defineRoute({
  method: 'post',
  path: '/api/threads/{id}/items/{item}/vouch',
  summary: 'Trust a message or an output: later calls are not judged by it.',
  params: threadParams.extend({ item: uuid<ItemId>('This item does not exist.') }),
  responses: { 204: { description: 'The item is trusted. A turn that runs now is not affected.' } },
  errors: [400, 404],
  async handle({ principal, params }, { threads }: Services) {
    await threads.vouch(principal, params.id, params.item);
  },
});

type ImageServices = { readonly loadImage: LoadImage; readonly limiter: Limiter };

export const itemRoutes = [listItems, getPart, getImage, vouch];

/** RFC 5987 allows fewer characters than a URL. */
const encode = (name: string) =>
  encodeURIComponent(name.toWellFormed()).replace(/['()*!]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
