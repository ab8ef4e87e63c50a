import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Shares } from '#agent/threads/shares.ts';
import type { Share } from '#domain/thread/share.ts';
import { addressOf, type Site } from '#http/caller/site.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { renderAs } from '#http/routes/render-as.ts';
import { threadParams } from '../threads/thread-shape.ts';

type Services = { readonly shares: Shares; readonly site: Site };

const share = z
  .strictObject({
    thread_id: z.uuid(),
    include_tools: z.boolean().describe('Whether calls of tools are shown, with their arguments and results.'),
    include_attachments: z.boolean().describe('Whether images and files are shown.'),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime().describe('The page shows the thread as it was at this time.'),
  })
  .meta({ id: 'Share' });

const url = z.url().nullable().describe('The link; null if it can not be read any more. `new_link` makes another one.');

const listed = share.extend({ title: z.string().describe('The title of the thread. May be empty.') });

const listShares = defineRoute({
  method: 'get',
  path: '/api/shares',
  summary: "List the caller's shared threads.",
  responses: {
    200: {
      description: 'The newest first. At most 500.',
      json: z.strictObject({ shares: z.array(listed.meta({ id: 'ListedShare' })) }).meta({ id: 'ShareList' }),
    },
  },
  async handle({ principal }, { shares }: Services) {
    const found = await shares.list(principal);
    return { shares: found.map(({ title, ...each }) => ({ ...renderShare(each), title })) };
  },
});

const getShare = defineRoute({
  method: 'get',
  path: '/api/threads/{id}/share',
  summary: 'Get whether a thread is shared.',
  params: threadParams,
  responses: {
    200: {
      description: 'The share and its link; null if the thread is not shared.',
      json: z.strictObject({ share: share.nullable(), url }).meta({ id: 'ThreadShare' }),
    },
  },
  errors: [404],
  async handle({ principal, params, request }, { shares, site }: Services) {
    const found = await shares.find(principal, params.id);
    return { share: found ? renderShare(found.share) : null, url: renderLink(request, site, found?.link) };
  },
});

const putShare = defineRoute({
  method: 'put',
  path: '/api/threads/{id}/share',
  summary: 'Share a thread as it is now. Anyone with the link can read it.',
  params: threadParams,
  body: z
    .strictObject({
      include_tools: z.boolean().default(false),
      include_attachments: z.boolean().default(false),
      new_link: z.boolean().default(false).describe('true: the thread gets another link, and the old one ends.'),
    })
    .default({ include_tools: false, include_attachments: false, new_link: false })
    .meta({ id: 'ShareRequest' }),
  responses: {
    200: {
      description: 'The share. Sharing a thread again shows its newer messages under the same link.',
      json: z.strictObject({ share, url }).meta({ id: 'Shared' }),
    },
  },
  errors: [400, 404, 413],
  async handle({ principal, params, body, request }, { shares, site }: Services) {
    const { share: made, link } = await shares.put(principal, params.id, {
      withTools: body.include_tools,
      withAttachments: body.include_attachments,
      newLink: body.new_link,
    });
    return { share: renderShare(made), url: renderLink(request, site, link) };
  },
});

const deleteShare = defineRoute({
  method: 'delete',
  path: '/api/threads/{id}/share',
  summary: 'End the link of a thread, on every replica at once.',
  params: threadParams,
  responses: { 204: { description: 'The link no longer works.' } },
  errors: [404],
  async handle({ principal, params }, { shares }: Services) {
    await shares.remove(principal, params.id);
  },
});

export const shareRoutes = [listShares, getShare, putShare, deleteShare];

const renderLink = (request: FastifyRequest, site: Site, link: string | undefined): string | null =>
  link === undefined ? null : addressOf(request, site, `/shared/${link}`);

const renderShare = (made: Share): z.infer<typeof share> =>
  renderAs(share, made, { include_tools: made.withTools, include_attachments: made.withAttachments });
