import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Accounts } from '#auth/accounts.ts';
import { NotFound } from '#domain/errors.ts';
import type { TokenId } from '#domain/ids.ts';
import { canSee, type Principal } from '#domain/principal.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { renderAs } from '#http/routes/render-as.ts';
import { uuid } from '#http/routes/uuid.ts';
import { nameField } from './user-fields.ts';

type Services = { readonly accounts: Accounts };

const createdToken = z.strictObject({
  id: z.uuid(),
  name: z.string(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime().nullable(),
});

const listedToken = createdToken.extend({ last_used_at: z.iso.datetime().nullable() });

const expiry = z.iso
  .datetime({ offset: true, error: 'expires_at must be a time such as 2030-01-31T00:00:00Z.' })
  .refine((text) => Date.parse(text) > Date.now(), 'expires_at must be in the future.')
  .nullish()
  .describe('When the token stops working. Left out: never.');

export const userParams = z.object({ id: z.string().describe('The id of a user; `me` is the caller.') });

const createToken = defineRoute({
  method: 'post',
  path: '/api/users/{id}/tokens',
  summary: 'Create a token for a user.',
  params: userParams,
  body: z.object({ name: nameField, expires_at: expiry }).meta({ id: 'NewToken' }),
  responses: {
    201: {
      description: 'The token. It is shown only once.',
      json: createdToken.extend({ token: z.string() }).meta({ id: 'CreatedToken' }),
    },
  },
  errors: [400, 404, 413],
  /** Members can't see other users. */
  async before({ principal, params }: FastifyRequest) {
    const { id } = params as { id: string };
    if (!canSee(principal, resolveMe(id, principal))) throw new NotFound('This user does not exist.');
  },
  async handle({ principal, params, body, reply }, { accounts }: Services) {
    const wanted = { name: body.name, expiresAt: body.expires_at ? new Date(body.expires_at) : null };
    const { token, secret } = await accounts.createToken(principal, resolveMe(params.id, principal), wanted);
    reply.header('cache-control', 'no-store');
    return { ...renderAs(createdToken, token), token: secret };
  },
});

const listTokens = defineRoute({
  method: 'get',
  path: '/api/users/{id}/tokens',
  summary: "List a user's tokens.",
  params: userParams,
  responses: {
    200: {
      description: 'Every token that was not revoked.',
      json: z
        .strictObject({
          tokens: z.array(listedToken),
        })
        .meta({ id: 'TokenList' }),
    },
  },
  errors: [404],
  async handle({ principal, params }, { accounts }: Services) {
    const tokens = await accounts.listTokens(principal, resolveMe(params.id, principal));
    return { tokens: tokens.map((token) => renderAs(listedToken, token)) };
  },
});

const revokeToken = defineRoute({
  method: 'delete',
  path: '/api/tokens/{id}',
  summary: 'Revoke a token. Every replica refuses it within 5 seconds.',
  params: z.object({ id: uuid<TokenId>('This token does not exist.') }),
  responses: { 204: { description: 'The token is revoked.' } },
  errors: [404],
  async handle({ principal, params }, { accounts }: Services) {
    await accounts.revokeToken(principal, params.id);
  },
});

export const tokenRoutes = [createToken, listTokens, revokeToken];

export const resolveMe = (id: string, principal: Principal) => (id === 'me' ? principal.userId : id);
