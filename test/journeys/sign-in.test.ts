import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addUser } from '../support/accounts.ts';
import { openBrowser } from '../support/browser.ts';
import { freshHome } from '../support/fresh-home.ts';
import { type IdentityProvider, startIdentityProvider } from '../support/identity-provider.ts';
import { spawnService, startService, TOKEN } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';

type Service = Awaited<ReturnType<typeof startService>>;

const PEOPLE = [
  { sub: 'ann', name: 'Ann', email: 'ann@example.com', email_verified: true },
  { sub: 'bob', name: 'Bob', email: 'bob@elsewhere.com', email_verified: true },
  { sub: 'cat', name: 'Cat', email: 'cat@example.com', email_verified: false },
];

let home: Awaited<ReturnType<typeof freshHome>>;
let idp: IdentityProvider;
let service: Service;

beforeAll(async () => {
  [home, idp] = await Promise.all([freshHome(), startIdentityProvider({ people: PEOPLE, conformIdTokenClaims: true })]);
  service = await startService({ ...home.env, ...idp.env, OIDC_ALLOWED_DOMAINS: 'example.com' });
});

afterAll(async () => {
  await service.close();
  await Promise.all([idp.close(), home.remove()]);
});

const sameOrigin = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };

/** A browser with a session, and what it can do. */
async function signedIn(token: string, at: Service = service) {
  const browser = openBrowser();
  const login = await browser.visit(`${at.url}/login?token=${token}`);
  const status = async (route = '/api/status', init: RequestInit = {}) =>
    (await browser.visit(at.url + route, init)).status;
  const session = () => browser.cookiesOf(at.url).get('reborn_session') ?? '';
  return { browser, login, status, session };
}

describe('with a token', () => {
  test('the link sets a cookie that scripts and other sites can’t use, and leads away from the token', async () => {
    const { login, status } = await signedIn(TOKEN);

    expect([login.status, login.headers.get('location')]).toEqual([303, '/']);
    expect(login.headers.get('set-cookie')).toMatch(
      /^reborn_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=60\d{4}$/,
    );
    expect(login.headers.get('cache-control')).toBe('no-store');
    expect(await status()).toBe(200);
  });

  test('a wrong one is refused in plain text, and sets nothing', async () => {
    const { login, status } = await signedIn('wrong');

    expect([login.status, await login.text()]).toEqual([401, 'Invalid or missing auth token']);
    expect(login.headers.get('set-cookie')).toBeNull();
    expect(await status()).toBe(401);
  });

  test('each sign-in has a session of its own, and ends the one before it', async () => {
    const { browser, session } = await signedIn(TOKEN);
    const first = session();
    await browser.visit(`${service.url}/login?token=${TOKEN}`);

    expect(session()).not.toBe(first);
    const old = await fetch(`${service.url}/api/status`, { headers: { cookie: `reborn_session=${first}` } });
    expect(old.status).toBe(401);
  });

  test('a session is that of the token’s user, and ends with the token', async () => {
    const ann = await addUser(service, 'Token-Ann');
    const { status } = await signedIn(ann.token);
    expect([await status('/api/users/me/tokens'), await status('/api/users')]).toEqual([200, 403]);

    await service.request(`/api/tokens/${ann.tokenId}`, { method: 'DELETE' });
    expect(await status()).toBe(401);
  });

  test('a session ends with its user', async () => {
    const ann = await addUser(service, 'Brief-Ann');
    const { status } = await signedIn(ann.token);
    await service.request(`/api/users/${ann.id}`, { method: 'DELETE' });

    expect(await status()).toBe(401);
  });

  test('signing out ends the session, here and for whoever has kept the cookie', async () => {
    const { browser, session, status } = await signedIn(TOKEN);
    const kept = session();
    const out = await browser.visit(`${service.url}/logout`, { method: 'POST', headers: sameOrigin });

    expect([out.status, out.headers.get('set-cookie')]).toEqual([204, expect.stringContaining('Max-Age=0')]);
    expect(await status()).toBe(401);
    const reused = await fetch(`${service.url}/api/status`, { headers: { cookie: `reborn_session=${kept}` } });
    expect(reused.status).toBe(401);
  });

  test('a session is no bearer token, and a bearer token is no session', async () => {
    const { session } = await signedIn(TOKEN);
    const asBearer = await service.request('/api/status', { headers: { authorization: `Bearer ${session()}` } });
    const asCookie = await fetch(`${service.url}/api/status`, { headers: { cookie: `reborn_session=${TOKEN}` } });

    expect([asBearer.status, asCookie.status]).toEqual([401, 401]);
  });

  test('sign-ins and sign-outs are in the audit log', async () => {
    const { browser } = await signedIn(TOKEN);
    await browser.visit(`${service.url}/logout`, { method: 'POST', headers: sameOrigin });
    const { entries } = (await (await service.request('/api/audit?limit=2')).json()) as { entries: object[] };

    expect(entries).toMatchObject([
      { actor: 'operator', action: 'sign-out' },
      { actor: 'operator', action: 'sign-in', detail: { method: 'token' } },
    ]);
  });
});

describe('what a cookie may change', () => {
  const send = async (headers: Record<string, string>, route = '/api/chat/send') => {
    const { browser } = await signedIn(TOKEN);
    const all = { 'content-type': 'application/json', ...headers };
    return browser.visit(service.url + route, { method: 'POST', headers: all, body: '{"message":"hello"}' });
  };

  test.each([
    ['our own page', () => ({ 'sec-fetch-site': 'same-origin' })],
    ['our own page, on a connection that tells no more', () => ({ origin: service.url })],
  ])('it comes from %s', async (_whence, headers) => {
    expect((await send(headers())).status).toBe(202);
  });

  test.each<[string, Record<string, string>]>([
    ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['a sister site', { 'sec-fetch-site': 'same-site' }],
    ['another site, on a connection that tells no more', { origin: 'https://evil.example' }],
    ['a page without an origin', { origin: 'null' }],
    ['nowhere in particular', {}],
  ])('not when it comes from %s', async (_whence, headers) => {
    const response = await send(headers);

    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ error: { type: 'permission_error', code: 'cross_site' } });
    expect((await send(headers, '/logout')).status).toBe(403);
  });

  test('a bearer token needs no such proof', async () => {
    const body = '{"message":"hello"}';
    const response = await service.request('/api/chat/send', { method: 'POST', body });

    expect(response.status).toBe(202);
  });

  test('a wrong bearer token is not made good by a cookie', async () => {
    const { status } = await signedIn(TOKEN);

    expect(await status('/api/status', { headers: { authorization: 'Bearer wrong' } })).toBe(401);
  });
});

describe('with single sign-on', () => {
  const signInAs = async (sub: string) => {
    idp.seat(sub);
    const browser = openBrowser();
    const { response } = await browser.follow(`${service.url}/login/oidc`);
    return { browser, response };
  };

  test('whom the provider vouches for gets a session, as the same user as with a bearer token', async () => {
    const { browser, response } = await signInAs('ann');
    expect([response?.status, await response?.text()]).toEqual([200, expect.stringContaining('url=/')]);

    const made = await browser.visit(`${service.url}/api/users/me/tokens`, {
      method: 'POST',
      headers: sameOrigin,
      body: '{"name":"mine"}',
    });
    expect(made.status).toBe(201);
    const { entries } = (await (await service.request('/api/audit?limit=3')).json()) as {
      entries: { actor: string }[];
    };
    expect(entries).toMatchObject([
      { action: 'token.create' },
      { action: 'sign-in', detail: { method: 'oidc' } },
      { action: 'user.first-sign-in', detail: { email: 'ann@example.com' } },
    ]);
    expect(new Set(entries.map(({ actor }) => actor)).size).toBe(1);
  });

  test.each(['bob', 'cat'])('%s, whose address is not allowed or not verified, is refused', async (sub) => {
    const { browser, response } = await signInAs(sub);

    expect([response?.status, await response?.text()]).toEqual([403, 'Email domain not allowed']);
    expect((await browser.visit(`${service.url}/api/status`)).status).toBe(401);
  });

  test('what the provider sends back is good once, in the browser that began, and unaltered', async () => {
    idp.seat('ann');
    const callback = `${service.url}/login/oidc/callback`;
    const [ours, other] = [openBrowser(), openBrowser()];
    const { url } = await ours.follow(`${service.url}/login/oidc`, callback);

    expect((await other.visit(url)).status).toBe(400);
    await other.visit(`${service.url}/login/oidc`);
    expect((await other.visit(url)).status).toBe(401);
    expect((await ours.visit(url)).status).toBe(200);
    expect((await ours.visit(url)).status).toBe(401);

    const forged = openBrowser();
    const second = (await forged.follow(`${service.url}/login/oidc`, callback)).url;
    second.searchParams.set('state', 'forged');
    expect((await forged.visit(second)).status).toBe(401);
    expect((await forged.visit(`${callback}?error=access_denied&state=x`)).status).toBe(401);
  });

  test('as a bearer token: its own domain is let in, another is 403 in plain text', async () => {
    const mine = await startIdentityProvider({ people: PEOPLE });
    const at = await startService({ ...home.env, ...mine.env, OIDC_ALLOWED_DOMAINS: 'example.com' });
    const answerTo = async (token: string) => {
      const response = await at.request('/api/status', { headers: { authorization: `Bearer ${token}` } });
      return [response.status, response.headers.get('content-type'), await response.text()];
    };

    expect((await answerTo(await mine.idToken('ann')))[0]).toBe(200);
    expect(await (await signedIn(await mine.idToken('ann'), at)).status()).toBe(200);
    for (const sub of ['bob', 'cat'])
      expect(await answerTo(await mine.idToken(sub))).toEqual([
        403,
        'text/plain; charset=utf-8',
        'Email domain not allowed',
      ]);
    const expired = await mine.sign({ sub: 'ann', exp: Math.floor(Date.now() / 1000) - 61 });
    expect(await answerTo(expired)).toEqual([401, 'text/plain; charset=utf-8', 'Invalid or missing auth token']);
    await at.close();
    await mine.close();
  });

  test('a provider that is down is told as such, and the service starts without it', async () => {
    const at = await startService({ ...home.env, OIDC_ISSUER: 'http://127.0.0.1:1', OIDC_CLIENT_ID: 'x' });
    const login = await fetch(`${at.url}/login/oidc`, { redirect: 'manual' });
    const bearer = await at.request('/api/status', { headers: { authorization: 'Bearer e30.e30.e30' } });

    expect([login.status, await login.text()]).toEqual([503, 'Identity provider unavailable']);
    expect([bearer.status, await bearer.text()]).toEqual([503, 'Identity provider unavailable']);
    expect((await at.request('/api/status')).status).toBe(200);
    await at.close();
  });
});

describe('the operator', () => {
  test('stays signed in over a restart, until the token that was used is replaced', async () => {
    const first = await startService(home.env);
    const { session } = await signedIn(TOKEN, first);
    const cookie = `reborn_session=${session()}`;
    await first.close();
    const statusAt = async (env: Record<string, string>) => {
      const at = await startService({ ...home.env, ...env });
      const { status } = await fetch(`${at.url}/api/status`, { headers: { cookie } });
      await at.close();
      return status;
    };

    expect(await statusAt({})).toBe(200);
    expect(await statusAt({ SERVICE_REBORN_WEBUI_TOKEN: 'a-new-token-of-the-operator' })).toBe(401);
  });

  test('signs in by the link in the log, on every replica, and no later line holds a token', async () => {
    const env = { ...home.env, LOG_LEVEL: 'trace' };
    const [one, other] = await Promise.all([spawnService(env), spawnService(env)]);
    const [link = ''] = await waitFor('the link', async () => /http:\S+\/login\?token=[\w-]+/.exec(one.output()));
    const browser = openBrowser();
    expect((await browser.visit(link)).status).toBe(303);
    const [first] = [...browser.cookiesOf(one.url).values()];
    await openBrowser().visit(`${one.url}/login?token=${TOKEN}`);
    await openBrowser().visit(`${one.url}/login?token=wrong-but-secret`);
    const there = await fetch(`${other.url}/api/status`, { headers: { cookie: `reborn_session=${first}` } });
    expect(there.status).toBe(200);
    await Promise.all([one.kill('SIGTERM'), other.kill('SIGTERM')]);

    const later = one
      .output()
      .split('\n')
      .filter((line) => !line.includes('The gateway is at'));
    for (const secret of [new URL(link).searchParams.get('token') ?? '', TOKEN, 'wrong-but-secret', String(first)])
      expect(later.join('\n')).not.toContain(secret);
  });
});

describe('behind a proxy that speaks https', () => {
  const https = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'agent.example.com' };

  test('the cookie can be set by this host alone, and the browser is told to stay with https', async () => {
    const at = await startService({ ...home.env, TRUSTED_PROXIES: '127.0.0.1' });
    const login = await fetch(`${at.url}/login?token=${TOKEN}`, { redirect: 'manual', headers: https });
    const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
    const send = (headers: Record<string, string>) =>
      fetch(`${at.url}/api/chat/send`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie, ...headers },
        body: '{"message":"hello"}',
      });

    expect(login.headers.get('set-cookie')).toMatch(/^__Host-reborn_session=.*; Secure$/);
    expect(login.headers.get('strict-transport-security')).toContain('max-age=');
    expect((await send({ ...https, origin: 'https://agent.example.com' })).status).toBe(202);
    expect((await send({ ...https, origin: at.url })).status).toBe(403);
    expect((await send({ origin: 'https://agent.example.com' })).status).toBe(401);
    await at.close();
  });

  test('one that is not trusted is not believed', async () => {
    const login = await fetch(`${service.url}/login?token=${TOKEN}`, { redirect: 'manual', headers: https });

    expect(login.headers.get('set-cookie')).toMatch(/^reborn_session=/);
    expect(login.headers.get('strict-transport-security')).toBeNull();
  });

  test('PUBLIC_URL tells as well', async () => {
    const at = await startService({ ...home.env, PUBLIC_URL: 'https://agent.example.com' });
    const login = await fetch(`${at.url}/login?token=${TOKEN}`, { redirect: 'manual' });

    expect(login.headers.get('set-cookie')).toMatch(/^__Host-reborn_session=.*; Secure$/);
    await at.close();
  });
});

describe('every answer of the gateway', () => {
  test.each(['/', '/login', '/healthz', '/api/status', '/nowhere', '/openapi.json', '/%zz', '/login/oidc/callback'])(
    '%s carries headers that protect the browser',
    async (route) => {
      const { headers } = await fetch(service.url + route, { redirect: 'manual' });

      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
    },
  );

  test('so does a stream', async () => {
    const response = await service.post({ input: 'hello', stream: true });
    await response.text();

    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });
});
