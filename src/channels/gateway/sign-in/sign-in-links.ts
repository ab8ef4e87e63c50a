import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { SignIn } from '#auth/sign-in.ts';
import { InvalidRequest } from '#domain/errors.ts';
import { readBearer, refuse } from '#http/caller/bearer.ts';
import { addressOf, type Site } from '#http/caller/site.ts';
import type { signInLink } from './wire-sign-in.ts';

/** `POST /api/sign-in-links`: a link that signs a browser in, once, as the owner of the bearer token. */
export function signInLinkRoute(signIn: SignIn, site: Site) {
  return async (app: FastifyInstance): Promise<void> => {
    app.post('/sign-in-links', async (request, reply) => {
      const token = readBearer(request);
      if (token === undefined)
        throw new InvalidRequest('invalid_request', null, 'A sign-in link is made for a bearer token. Send one.');
      const made = await signIn.createCode(token);
      if (made.outcome !== 'known') return refuse(reply, made);
      const link: z.infer<typeof signInLink> = {
        url: addressOf(request, site, `/login?code=${made.code}`),
        expires_at: made.expiresAt.toISOString(),
      };
      return reply.code(201).header('cache-control', 'no-store').send(link);
    });
  };
}
