import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Shares } from '#agent/threads/shares.ts';
import type { ItemId } from '#domain/ids.ts';
import type { SharedItem, SharedPart } from '#domain/thread/share.ts';
import type { Limiter } from '#http/caller/rate-limit.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { uuid } from '#http/routes/uuid.ts';
import { pageLimit } from '../page.ts';
import { sendAttachment } from '../threads/item-routes.ts';
import { type ReadPage, sendPage } from '../web-app/pages.ts';

type Services = { readonly shares: Shares; readonly limitVisits: Limiter };

const part = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('text'),
      text: z.string(),
      origin: z.literal('others').optional().describe('The sender of the message did not write it.'),
    }),
    z.strictObject({ type: z.literal('image'), url: z.string() }),
    z.strictObject({ type: z.literal('file'), filename: z.string().nullable(), url: z.string() }),
    z.strictObject({ type: z.literal('hidden'), kind: z.enum(['image', 'file']) }),
  ])
  .meta({ id: 'SharedPart' });

const itemFields = { id: z.uuid(), created_at: z.iso.datetime() };

const sharedItem = z
  .discriminatedUnion('type', [
    z.strictObject({
      ...itemFields,
      type: z.literal('message'),
      role: z.enum(['user', 'assistant']),
      assistant: z
        .string()
        .optional()
        .describe('The name of the assistant that answers; left out for the usual agent.'),
      content: z.array(part),
      status: z.enum(['completed', 'incomplete']),
    }),
    z.strictObject({
      ...itemFields,
      type: z.literal('call'),
      call_id: z.string(),
      name: z.string(),
      arguments: z.string(),
    }),
    z.strictObject({ ...itemFields, type: z.literal('result'), call_id: z.string(), content: z.array(part) }),
  ])
  .meta({ id: 'SharedItem' });

const NO_LINK = 'This link does not exist. It may have been revoked.';
const linkParams = z.object({ link: z.string(NO_LINK) });

/** Visitors share one limit per address. The page has an opaque origin, so it reads this as any other site would. */
const before = (request: FastifyRequest, { limitVisits }: Services) => limitVisits(`shared:${request.ip}`);
const HEADERS = {
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex, nofollow',
  'access-control-allow-origin': '*',
};

const readShared = defineRoute({
  method: 'get',
  path: '/api/shared/{link}',
  summary: 'Read a shared thread.',
  access: 'public',
  params: linkParams,
  query: z.object({
    limit: pageLimit(20, 50),
    after: uuid<ItemId>('after must be next_after of the previous page.').optional(),
  }),
  responses: {
    200: {
      description: 'A page of the thread, the oldest items first.',
      json: z
        .strictObject({
          title: z.string(),
          shared_at: z.iso.datetime().describe('The thread is shown as it was at this time.'),
          items: z.array(sharedItem),
          next_after: z.uuid().nullable().describe('`after` of the next page; null at the end.'),
        })
        .meta({ id: 'SharedThread' }),
    },
  },
  errors: [400, 404, 429],
  before,
  async handle({ params: { link }, query, reply }, { shares }: Services) {
    reply.headers(HEADERS);
    const { title, share, items, next } = await shares.read(link, { after: query.after, limit: query.limit });
    return {
      title,
      shared_at: share.updatedAt.toISOString(),
      items: items.map((item) => renderShared(link, item)),
      next_after: next ?? null,
    };
  },
});

const readSharedPart = defineRoute({
  method: 'get',
  path: '/api/shared/{link}/items/{item}/parts/{index}',
  summary: 'Get the bytes of an image or a file of a shared thread.',
  access: 'public',
  params: linkParams.extend({
    item: uuid<ItemId>('This attachment does not exist.'),
    index: z.coerce.number<string>('This attachment does not exist.').int('This attachment does not exist.').min(0),
  }),
  responses: { 200: { description: 'The bytes, with their media type or as application/octet-stream.' } },
  errors: [404, 429],
  before,
  async handle({ params, request, reply }, { shares }: Services) {
    reply.headers(HEADERS);
    return sendAttachment(request, reply, await shares.openAttachment(params.link, params.item, params.index));
  },
});

/** These routes need no token. */
export const sharedRoutes = [readShared, readSharedPart];

function renderShared(link: string, item: SharedItem): z.infer<typeof sharedItem> {
  const fields = { id: item.id, created_at: item.createdAt.toISOString() };
  const parts = (content: readonly SharedPart[]) =>
    content.map((each, index) => renderPart(each, `/api/shared/${link}/items/${item.id}/parts/${index}`));
  switch (item.type) {
    case 'message': {
      const { type, role, assistant, status } = item;
      return { ...fields, type, role, ...(assistant && { assistant }), content: parts(item.content), status };
    }
    case 'call':
      return { ...fields, type: item.type, call_id: item.callId, name: item.name, arguments: item.arguments };
    case 'result':
      return { ...fields, type: item.type, call_id: item.callId, content: parts(item.content) };
  }
}

function renderPart(given: SharedPart, url: string): z.infer<typeof part> {
  if (given.type === 'hidden') return given;
  if (given.type === 'text')
    return { type: given.type, text: given.text, ...(given.origin && { origin: given.origin }) };
  return given.type === 'image' ? { type: given.type, url } : { type: given.type, filename: given.filename, url };
}

/**
 * `GET /shared/{link}`: the page for visitors. Its origin is opaque, so that nothing in a thread can reach the session of
 * a visitor who is signed in, and its policy allows no script but its own.
 */
export function sharedPageRoute(readPage: ReadPage) {
  return async (app: FastifyInstance): Promise<void> => {
    const page = await readPage('shared.html');
    app.get('/shared/:link', async (_request, reply) =>
      sendPage(
        reply
          .header('content-security-policy', POLICY)
          .header('x-robots-tag', HEADERS['x-robots-tag'])
          .header('cache-control', 'no-cache'),
        page,
      ),
    );
  };
}

const POLICY = [
  'sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox allow-downloads allow-modals',
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  'worker-src blob:',
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');
