import { z } from 'zod';
import type { Invitations } from '#auth/invitations.ts';
import { addressOf, type Site } from '#http/caller/site.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { renderAs } from '#http/routes/render-as.ts';
import { uuid } from '#http/routes/uuid.ts';
import { nameField, roleField } from './user-fields.ts';

type Services = { readonly invitations: Invitations; readonly site: Site };

const invitation = z.strictObject({
  id: z.uuid(),
  role: roleField,
  name: z.string().nullable().describe('Whom it is meant for. Only operators see it.'),
  user_id: z.string().describe('Who invites. The link stops working when they are no operator any more.'),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
});

const createInvitation = defineRoute({
  method: 'post',
  path: '/api/invitations',
  summary: 'Create a link that makes one person a user and signs their browser in. It works once, for 7 days.',
  access: 'operator',
  body: z.strictObject({ role: roleField, name: nameField.nullish() }).meta({ id: 'NewInvitation' }),
  responses: {
    201: {
      description: 'The invitation. Its link is shown only once.',
      json: invitation
        .extend({ url: z.url().describe('Opens a page that asks for a name, and then signs the browser in.') })
        .meta({ id: 'CreatedInvitation' }),
    },
  },
  errors: [400, 413],
  async handle({ principal, body: { role, name }, request, reply }, { invitations, site }: Services) {
    const { invitation: created, secret } = await invitations.create(principal, { role, name: name ?? null });
    reply.header('cache-control', 'no-store');
    // Behind #, which browsers send to no server: the link is in no log, and works for days.
    return { ...renderAs(invitation, created), url: addressOf(request, site, `/login#invitation=${secret}`) };
  },
});

const listInvitations = defineRoute({
  method: 'get',
  path: '/api/invitations',
  summary: 'List the invitations that were not used yet, newest first, without their links.',
  access: 'operator',
  responses: {
    200: {
      description: 'The invitations.',
      json: z.strictObject({ invitations: z.array(invitation) }).meta({ id: 'InvitationList' }),
    },
  },
  async handle({ principal }, { invitations }: Services) {
    return { invitations: (await invitations.list(principal)).map((found) => renderAs(invitation, found)) };
  },
});

const revokeInvitation = defineRoute({
  method: 'delete',
  path: '/api/invitations/{id}',
  summary: 'Revoke an invitation. Its link stops working.',
  access: 'operator',
  params: z.object({ id: uuid('This invitation does not exist.') }),
  responses: { 204: { description: 'The invitation is revoked.' } },
  errors: [404],
  async handle({ principal, params }, { invitations }: Services) {
    await invitations.revoke(principal, params.id);
  },
});

export const invitationRoutes = [createInvitation, listInvitations, revokeInvitation];
