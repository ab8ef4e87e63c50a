import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { addressOf, type Site } from '#http/caller/site.ts';
import { holderField } from './holder-field.ts';

/** Where the browser goes after a sign-in: a page of the app, or a program that waits on the browser's own machine. */
export const signInQuery = z.object({
  for: holderField,
  redirect_uri: z
    .string()
    .regex(/^http:\/\/127\.0\.0\.1:\d{1,5}\/callback$/, 'redirect_uri must be http://127.0.0.1:PORT/callback.')
    .optional()
    .describe('Of a program on the machine of the browser that takes the answer. A page of the app, when left out.'),
});

/** A redirect from another site carries no cookie, but a request of the page does. */
const CALLBACK = '/tools/callback';

export const redirectOf = (request: FastifyRequest, site: Site, query: z.infer<typeof signInQuery>): string =>
  query.redirect_uri ?? addressOf(request, site, CALLBACK);
