import { z } from 'zod';

const secret = z.string().min(1).max(16_384);

/** The body of `POST /login`. */
export const credentials = z.union(
  [z.strictObject({ token: secret }), z.strictObject({ code: secret })],
  'Send either token or code.',
);

/** Its answer; the rest of the session is in a cookie. */
export const openedSession = z
  .strictObject({ session_key: z.string().describe('To be sent as X-Session-Key with every request.') })
  .meta({ id: 'OpenedSession' });

export const signInLink = z
  .strictObject({
    url: z.url().describe('Opens a page that asks, and then signs the browser in. It works once.'),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: 'SignInLink' });

export const sessionList = z
  .strictObject({
    sessions: z.array(
      z.strictObject({
        id: z.uuid(),
        method: z.enum(['token', 'code', 'oidc']).describe('How the browser signed in.'),
        created_at: z.iso.datetime(),
        last_seen_at: z.iso.datetime(),
        expires_at: z.iso.datetime(),
      }),
    ),
  })
  .meta({ id: 'SessionList' });
