import { z } from 'zod';
import type { Erasures } from '#agent/administration/erasures.ts';
import type { Erasure } from '#domain/erasure.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { renderAs } from '#http/routes/render-as.ts';
import { uuid } from '#http/routes/uuid.ts';
import { nextCursor, pageQuery } from '../page.ts';

type Services = { readonly erasures: Erasures };

const certificate = z
  .strictObject({
    erasure: z.string(),
    subject: z.string(),
    requested_by: z.string(),
    requested_at: z.iso.datetime(),
    completed_at: z.iso.datetime(),
    deleted: z.record(z.string(), z.int()).describe('Rows by table.'),
    digest: z.string().describe('The SHA-256 that the audit log has, too.'),
  })
  .meta({ id: 'ErasureCertificate' });

const erasure = z
  .strictObject({
    id: z.string(),
    user_id: z.string(),
    status: z.enum(['pending', 'completed']),
    requested_at: z.iso.datetime(),
    certificate: certificate.nullable().describe('What was deleted; null while it is pending.'),
  })
  .meta({ id: 'Erasure' });

const eraseUser = defineRoute({
  method: 'post',
  path: '/api/users/{id}/erase',
  summary: 'Erase a user: delete everything that belongs to them, permanently.',
  access: 'operator',
  params: z.object({ id: z.string().max(300) }),
  responses: {
    200: { description: 'The erasure. It continues if its status is `pending`, also after a restart.', json: erasure },
  },
  errors: [404],
  async handle({ principal, params }, { erasures }: Services) {
    return render(await erasures.erase(principal, params.id));
  },
});

const eraseMe = defineRoute({
  method: 'post',
  path: '/api/me/erase',
  summary: 'Erase the caller: delete their account with everything that belongs to it, permanently.',
  responses: {
    200: { description: 'The erasure. It continues if its status is `pending`, also after a restart.', json: erasure },
  },
  errors: [404],
  async handle({ principal }, { erasures }: Services) {
    return render(await erasures.erase(principal, principal.userId));
  },
});

const listErasures = defineRoute({
  method: 'get',
  path: '/api/erasures',
  summary: 'List erasures, newest first.',
  access: 'operator',
  query: pageQuery(/^[\da-f-]{36}$/),
  responses: {
    200: {
      description: 'A page of erasures.',
      json: z
        .strictObject({ erasures: z.array(erasure), next_cursor: z.string().nullable() })
        .meta({ id: 'ErasureList' }),
    },
  },
  errors: [400],
  async handle({ principal, query: { limit, cursor } }, { erasures }: Services) {
    const found = await erasures.list(principal, { after: cursor, limit });
    return { erasures: found.map(render), next_cursor: nextCursor(found, limit) };
  },
});

const getErasure = defineRoute({
  method: 'get',
  path: '/api/erasures/{id}',
  summary: 'Get an erasure and its certificate.',
  access: 'operator',
  params: z.object({ id: uuid('This erasure does not exist.') }),
  responses: { 200: { description: 'The erasure.', json: erasure } },
  errors: [404],
  async handle({ principal, params }, { erasures }: Services) {
    return render(await erasures.get(principal, params.id));
  },
});

export const erasureRoutes = [eraseUser, eraseMe, listErasures, getErasure];

const render = (found: Erasure): z.infer<typeof erasure> =>
  renderAs(erasure, found, {
    user_id: found.subject,
    status: found.certificate ? 'completed' : 'pending',
    certificate: found.certificate && renderAs(certificate, found.certificate),
  });
