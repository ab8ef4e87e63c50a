import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type SignedIn, type SignIn, TICKET_SECONDS } from '#auth/sign-in.ts';
import { digitsOf } from '#domain/cell/cell.ts';
import { isRepeated, refuse, SESSION_COOKIE } from '#http/caller/bearer.ts';
import { clearCookie, readCookie, setCookie } from '#http/caller/cookies.ts';
import type { Limiter } from '#http/caller/rate-limit.ts';
import { requireSameOrigin } from '#http/caller/same-origin.ts';
import { addressOf, type Site } from '#http/caller/site.ts';
import { sendText } from '#http/plain-text.ts';
import { parseBody } from '#http/routes/parse-body.ts';
import { nameField } from '../users/user-fields.ts';
import { loginPage, sendLeavingPage, sendPage } from '../web-app/pages.ts';
import type { AppPage } from '../web-app/web-app.ts';

const credential = z.string().min(1).max(16_384);

const credentials = z.union(
  [
    z.strictObject({ token: credential }),
    z.strictObject({ code: credential }),
    z.strictObject({ invitation: credential, name: nameField }),
  ],
  'Send token, or code, or invitation with name.',
);

const openedSession = z
  .strictObject({
    session_key: z
      .string()
      .describe('Send it as X-Session-Key with every request. The rest of the session is a cookie.'),
  })
  .meta({ id: 'OpenedSession' });

const TICKET_COOKIE = 'reborn_sign_in';
/** The proof of another cell that the person belongs in this one. Only cells can make it, so it may go through the browser. */
const VOUCHER_COOKIE = 'reborn_voucher';
const CALLBACK = '/login/oidc/callback';

export type SignInOptions = {
  readonly signIn: SignIn;
  readonly site: Site;
  readonly appPage: AppPage;
  /** Counts attempts to sign in by address. */
  readonly limitGuesses: Limiter;
};

/** How a browser signs in and out. These routes need no token. */
export function signInRoutes({ signIn, site, appPage, limitGuesses }: SignInOptions) {
  const formerOf = (request: FastifyRequest) => readCookie(request, site, SESSION_COOKIE);

  return async (app: FastifyInstance): Promise<void> => {
    app.addHook('onRequest', async (_request, reply) => {
      reply.header('cache-control', 'no-store');
    });

    // Also where sign-in links lead: the page asks first, since another site may have sent the browser there.
    app.get('/login', async (_request, reply) =>
      appPage ? appPage(reply) : sendPage(reply, loginPage(signIn.oidc !== undefined)),
    );

    app.post('/login', async (request, reply) => {
      requireSameOrigin(request, site);
      await limitGuesses(`login:${request.ip}`);
      const given = parseBody(credentials, request.body);
      const former = formerOf(request);
      const signedIn = await enter(given, former, isRepeated(request));
      return admit(reply, signedIn, (key) => reply.send({ session_key: key } satisfies z.infer<typeof openedSession>));
    });

    app.get('/login/oidc', async (request, reply) => {
      if (!signIn.oidc)
        return sendText(reply, 404, 'Single sign-on is not set up. Set OIDC_ISSUER and OIDC_CLIENT_ID.');
      const started = await signIn.oidc.begin(addressOf(request, site, CALLBACK));
      if (started.outcome !== 'started') return refuse(reply, started);
      // Lax, because the provider's page sends the browser back here.
      setCookie(reply, site, TICKET_COOKIE, started.ticket, { sameSite: 'Lax', seconds: TICKET_SECONDS });
      return reply.redirect(started.url, 303);
    });

    app.get(CALLBACK, async (request, reply) => {
      const ticket = readCookie(request, site, TICKET_COOKIE);
      if (!signIn.oidc || !ticket) return sendText(reply, 400, START_AGAIN);
      const callback = new URL(addressOf(request, site, CALLBACK) + queryOf(request));
      const brought = { former: formerOf(request), voucher: readCookie(request, site, VOUCHER_COOKIE) };
      const signedIn = await signIn.oidc.finish(ticket, callback, brought);
      if (signedIn.outcome === 'unknown') return sendText(reply, 401, START_AGAIN);
      // The code of the provider is spent, so the other cell asks for a new one.
      if (signedIn.outcome === 'elsewhere') return sendOn(reply, signedIn);
      // By a page, not a redirect: after one from another site the browser would leave the new cookie at home.
      return admit(reply, signedIn, (key) => sendLeavingPage(reply, key));
    });

    app.post('/logout', async (request, reply) => {
      requireSameOrigin(request, site);
      const secret = formerOf(request);
      if (secret) await signIn.signOut(secret);
      clearCookie(reply, site, SESSION_COOKIE);
      return reply.code(204).send();
    });
  };

  function sendOn(reply: FastifyReply, { cell, voucher }: Extract<SignedIn, { outcome: 'elsewhere' }>): FastifyReply {
    // An older one must not stay: the cell could take it for a wish of this one.
    const seconds = voucher === undefined ? 0 : TICKET_SECONDS;
    setCookie(reply, site, VOUCHER_COOKIE, voucher ?? '', { sameSite: 'Lax', seconds });
    return reply.redirect(`/login/oidc?cell=${digitsOf(cell)}`, 303);
  }

  function enter(given: z.infer<typeof credentials>, former: string | undefined, repeated: boolean): Promise<SignedIn> {
    if ('invitation' in given) return signIn.withInvitation(given.invitation, given.name, former);
    return 'code' in given ? signIn.withCode(given.code, former) : signIn.withToken(given.token, former, repeated);
  }

  function admit(reply: FastifyReply, signedIn: SignedIn, goOn: (key: string) => FastifyReply): FastifyReply {
    if (signedIn.outcome !== 'known') return refuse(reply, signedIn);
    const { secret, key, expiresAt } = signedIn.session;
    const seconds = Math.floor((expiresAt.getTime() - Date.now()) / 1000);
    setCookie(reply, site, SESSION_COOKIE, secret, { sameSite: 'Strict', seconds });
    return goOn(key);
  }
}

const START_AGAIN = 'The sign-in did not succeed, or took too long. Go to /login and start again.';

const queryOf = ({ url }: FastifyRequest) => (url.includes('?') ? url.slice(url.indexOf('?')) : '');
