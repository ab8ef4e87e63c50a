import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type SignedIn, type SignIn, TICKET_SECONDS } from '#auth/sign-in.ts';
import { refuse, SESSION_COOKIE } from '#http/bearer.ts';
import { clearCookie, readCookie, setCookie } from '#http/cookies.ts';
import { sendText } from '#http/plain-text.ts';
import { requireSameOrigin } from '#http/same-origin.ts';
import { addressOf, type Site } from '#http/site.ts';
import { LEAVING_PAGE, loginPage, sendPage } from './pages.ts';
import { type AppPage, acceptsPage } from './web-app.ts';

type LoginQuery = { Querystring: { token?: string | string[] } };

const TICKET_COOKIE = 'reborn_sign_in';
const CALLBACK = '/login/oidc/callback';

/** How a browser signs in and out. Nothing here needs a token, for whoever comes here has yet to show one. */
export function signInRoutes(signIn: SignIn, site: Site, appPage: AppPage) {
  const formerOf = (request: FastifyRequest) => readCookie(request, site, SESSION_COOKIE);

  return async (app: FastifyInstance): Promise<void> => {
    app.addHook('onRequest', async (_request, reply) => {
      reply.header('cache-control', 'no-store');
    });

    app.get<LoginQuery>('/login', async (request, reply) => {
      const { token } = request.query;
      if (typeof token !== 'string')
        return appPage ? appPage(reply) : sendPage(reply, loginPage(signIn.oidc !== undefined));
      const signedIn = await signIn.withToken(token, formerOf(request));
      if (signedIn.outcome === 'unknown' && appPage && acceptsPage(request)) return appPage(reply.code(401));
      return admit(reply, signedIn, () => reply.redirect('/', 303)); // the token leaves the address bar
    });

    app.get('/login/oidc', async (request, reply) => {
      if (!signIn.oidc)
        return sendText(reply, 404, 'Single sign-on is not set up. Set OIDC_ISSUER and OIDC_CLIENT_ID.');
      const begun = await signIn.oidc.begin(addressOf(request, site, CALLBACK));
      if (begun.outcome !== 'begun') return refuse(reply, begun);
      // Lax, because the provider's page sends the browser back here.
      setCookie(reply, site, TICKET_COOKIE, begun.ticket, { sameSite: 'Lax', seconds: TICKET_SECONDS });
      return reply.redirect(begun.url, 303);
    });

    app.get(CALLBACK, async (request, reply) => {
      const ticket = readCookie(request, site, TICKET_COOKIE);
      if (!signIn.oidc || !ticket) return sendText(reply, 400, START_AGAIN);
      const callback = new URL(addressOf(request, site, CALLBACK) + queryOf(request));
      const signedIn = await signIn.oidc.finish(ticket, callback, formerOf(request));
      if (signedIn.outcome === 'unknown') return sendText(reply, 401, START_AGAIN);
      // By a page, not a redirect: after one from another site the browser would leave the new cookie at home.
      return admit(reply, signedIn, () => sendPage(reply, LEAVING_PAGE));
    });

    app.post('/logout', async (request, reply) => {
      requireSameOrigin(request, site);
      const secret = formerOf(request);
      if (secret) await signIn.signOut(secret);
      clearCookie(reply, site, SESSION_COOKIE);
      return reply.code(204).send();
    });
  };

  function admit(reply: FastifyReply, signedIn: SignedIn, goOn: () => FastifyReply): FastifyReply {
    if (signedIn.outcome !== 'known') return refuse(reply, signedIn);
    const { secret, expiresAt } = signedIn.session;
    const seconds = Math.floor((expiresAt.getTime() - Date.now()) / 1000);
    setCookie(reply, site, SESSION_COOKIE, secret, { sameSite: 'Strict', seconds });
    return goOn();
  }
}

const START_AGAIN = 'The sign-in did not succeed, or took too long. Go to /login and start again.';

const queryOf = ({ url }: FastifyRequest) => (url.includes('?') ? url.slice(url.indexOf('?')) : '');
