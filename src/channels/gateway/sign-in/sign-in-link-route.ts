import { z } from 'zod';
import type { SignIn } from '#auth/sign-in.ts';
import { InvalidRequest } from '#domain/errors.ts';
import { readBearer, refuse } from '#http/caller/bearer.ts';
import { addressOf, type Site } from '#http/caller/site.ts';
import { defineRoute } from '#http/routes/define-route.ts';

export const signInLinkRoute = defineRoute({
  method: 'post',
  path: '/api/sign-in-links',
  summary: 'Create a link that signs a browser in, once, as the owner of the bearer token.',
  responses: {
    201: {
      description: 'The link.',
      json: z
        .strictObject({
          url: z
            .url()
            .describe('Opens a page that asks for confirmation and then signs the browser in. It works once.'),
          expires_at: z.iso.datetime(),
        })
        .meta({ id: 'SignInLink' }),
    },
  },
  errors: [400],
  async handle({ request, reply }, { signIn, site }: { signIn: SignIn; site: Site }) {
    const token = readBearer(request);
    if (token === undefined)
      throw new InvalidRequest('invalid_request', null, 'A sign-in link needs a bearer token. Send one.');
    const made = await signIn.createCode(token);
    if (made.outcome !== 'known') return refuse(reply, made);
    reply.header('cache-control', 'no-store');
    return { url: addressOf(request, site, `/login?code=${made.code}`), expires_at: made.expiresAt.toISOString() };
  },
});
