import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addUser } from '../../support/accounts.ts';
import { openBrowser } from '../../support/browser.ts';
import { freshHome } from '../../support/fresh-home.ts';
import { type IdentityProvider, startIdentityProvider } from '../../support/identity-provider.ts';
import { runReborn } from '../../support/run-reborn.ts';
import { SETTINGS, spawnService, startService, TOKEN } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

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

/** A browser with a session. */
async function signedIn(token: string, at: Service = service) {
  const browser = openBrowser();
  const login = await browser.signIn(at.url, { token });
  const status = async (route = '/api/status', init: RequestInit = {}) =>
    (await browser.visit(at.url + route, init)).status;
  const session = () => browser.cookiesOf(at.url).get('reborn_session') ?? '';
  const headers = () => ({ cookie: `reborn_session=${session()}`, 'x-session-key': browser.keyOf(at.url) });
  return { browser, login, status, session, headers };
}

describe('with a token', () => {
  test('signing in sets a cookie that scripts and other sites can’t use', async () => {
    const { login, status } = await signedIn(TOKEN);

    expect([login.status, await login.json()]).toEqual([200, { session_key: expect.stringMatching(/^[\w-]{43}$/) }]);
    expect(login.headers.get('set-cookie')).toMatch(
      /^reborn_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=60\d{4}$/,
    );
    expect(login.headers.get('cache-control')).toBe('no-store');
    expect(await status()).toBe(200);
  });

  test('a wrong token is refused in plain text and sets no cookie', async () => {
    const { login, status } = await signedIn('wrong');

    expect([login.status, await login.text()]).toEqual([401, 'Invalid or missing auth token']);
    expect(login.headers.get('set-cookie')).toBeNull();
    expect(await status()).toBe(401);
  });

  test('each sign-in starts a new session and ends the previous one', async () => {
    const { browser, headers } = await signedIn(TOKEN);
    const first = headers();
    await browser.signIn(service.url, { token: TOKEN });

    expect(headers()).not.toEqual(first);
    expect((await fetch(`${service.url}/api/status`, { headers: first })).status).toBe(401);
  });

  test('a session belongs to the token’s user and ends with the token', async () => {
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

  test('signing out ends the session, also for copies of the cookie', async () => {
    const { browser, headers, status } = await signedIn(TOKEN);
    const kept = headers();
    const out = await browser.visit(`${service.url}/logout`, { method: 'POST', headers: sameOrigin });

    expect([out.status, out.headers.get('set-cookie')]).toEqual([204, expect.stringContaining('Max-Age=0')]);
    expect(await status()).toBe(401);
    const reused = await fetch(`${service.url}/api/status`, { headers: kept });
    expect(reused.status).toBe(401);
  });

  test('a session is not accepted as a bearer token, nor a bearer token as a session', async () => {
    const { session } = await signedIn(TOKEN);
    const asBearer = await service.request('/api/status', { headers: { authorization: `Bearer ${session()}` } });
    const cookie = `reborn_session=${TOKEN}`;
    const asCookie = await fetch(`${service.url}/api/status`, { headers: { cookie, 'x-session-key': TOKEN } });

    expect([asBearer.status, asCookie.status]).toEqual([401, 401]);
  });

  test('the cookie alone, which browsers send to every port of the host, gives no access', async () => {
    const { session, headers } = await signedIn(TOKEN);
    const other = await signedIn(TOKEN);
    const statusWith = async (given: Record<string, string>) =>
      (await fetch(`${service.url}/api/status`, { headers: given })).status;

    expect(await statusWith(headers())).toBe(200);
    expect(await statusWith({ cookie: `reborn_session=${session()}` })).toBe(401);
    expect(await statusWith({ ...headers(), 'x-session-key': other.headers()['x-session-key'] })).toBe(401);
  });

  test.each<[string, Record<string, string>]>([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['a page on another port', { 'sec-fetch-site': 'same-site' }],
    ['nowhere in particular', {}],
  ])('a sign-in that comes from %s is refused', async (_whence, headers) => {
    const response = await fetch(`${service.url}/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ token: TOKEN }),
    });

    expect(response.status).toBe(403);
    expect(response.headers.get('set-cookie')).toBeNull();
  });

  test.each(['token', 'code'])('opening an address with a %s does not sign in', async (name) => {
    const browser = openBrowser();
    await browser.visit(`${service.url}/login?${name}=${TOKEN}`);

    expect(browser.cookiesOf(service.url).size).toBe(0);
  });

  test('sign-in attempts are limited per address', async () => {
    const at = await startService({ ...home.env, SIGN_IN_RATE_PER_MINUTE: '3' });
    const statuses = [];
    for (const token of ['a', 'b', 'c', TOKEN]) statuses.push((await openBrowser().signIn(at.url, { token })).status);
    await at.close();

    expect(statuses).toEqual([401, 401, 401, 429]);
  });

  test('sessions are listed for their user and the operator, and can be revoked', async () => {
    const [ann, bob] = [await addUser(service, 'Listed-Ann'), await addUser(service, 'Listed-Bob')];
    const { status, browser } = await signedIn(ann.token);
    type Listed = { sessions: { id: string; method: string }[] };
    const listed = (await (await browser.visit(`${service.url}/api/users/me/sessions`)).json()) as Listed;
    const [session] = listed.sessions;
    const revoke = async (headers: Record<string, string> = {}) =>
      (await service.request(`/api/sessions/${session?.id}`, { method: 'DELETE', headers })).status;

    expect(listed.sessions).toMatchObject([{ method: 'token' }]);
    expect(await (await service.request(`/api/users/${ann.id}/sessions`)).json()).toMatchObject({
      sessions: [{ id: session?.id }],
    });
    const foreign = await service.request(`/api/users/${ann.id}/sessions`, { headers: bob.headers });
    expect([foreign.status, await revoke(bob.headers), await status()]).toEqual([404, 404, 200]);
    expect([await revoke(), await status(), await revoke()]).toEqual([204, 401, 404]);
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

describe('requests with a cookie', () => {
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

  test('a bearer token needs no proof of origin', async () => {
    const body = '{"message":"hello"}';
    const response = await service.request('/api/chat/send', { method: 'POST', body });

    expect(response.status).toBe(202);
  });

  test('a cookie does not make a wrong bearer token valid', async () => {
    const { status } = await signedIn(TOKEN);

    expect(await status('/api/status', { headers: { authorization: 'Bearer wrong' } })).toBe(401);
  });
});

describe('with single sign-on', () => {
  const signInAs = async (sub: string) => {
    idp.seat(sub);
    const browser = openBrowser();
    const { response } = await browser.follow(`${service.url}/login/oidc`);
    const page = (await response?.clone().text()) ?? '';
    browser.keepKey(service.url, /'reborn\.session-key', '([\w-]{43})'/.exec(page)?.[1] ?? '');
    return { browser, response };
  };

  test('a user of the provider gets a session as the same user as with a bearer token', async () => {
    const { browser, response } = await signInAs('ann');
    expect([response?.status, await response?.text()]).toEqual([200, expect.stringContaining("location.replace('/')")]);

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

  test("the provider's answer works once, in the browser that started, and unaltered", async () => {
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

  test('an ID token as bearer token: an allowed domain is accepted, another gets 403 in plain text', async () => {
    const mine = await startIdentityProvider({ people: PEOPLE });
    const at = await startService({ ...home.env, ...mine.env, OIDC_ALLOWED_DOMAINS: 'example.com' });
    const answerTo = async (token: string) => {
      const response = await at.request('/api/status', { headers: { authorization: `Bearer ${token}` } });
      return [response.status, response.headers.get('content-type'), await response.text()];
    };

    expect((await answerTo(await mine.idToken('ann')))[0]).toBe(200);
    const brief = {
      sub: 'ann',
      email: 'ann@example.com',
      email_verified: true,
      exp: Math.floor(Date.now() / 1000) + 90,
    };
    const { login, status } = await signedIn(await mine.sign(brief), at);
    expect(await status()).toBe(200);
    const seconds = Number(/Max-Age=(\d+)/.exec(login.headers.get('set-cookie') ?? '')?.[1]);
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(90); // no longer than the provider allows
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

  test('the service starts without a provider that is down and reports it', async () => {
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
  test('stays signed in after a restart until the token is replaced', async () => {
    const first = await startService(home.env);
    const session = await signedIn(TOKEN, first);
    const headers = session.headers();
    await first.close();
    const statusAt = async (env: Record<string, string>) => {
      const at = await startService({ ...home.env, ...env });
      const { status } = await fetch(`${at.url}/api/status`, { headers });
      await at.close();
      return status;
    };

    expect(await statusAt({})).toBe(200);
    expect(await statusAt({ SERVICE_REBORN_WEBUI_TOKEN: 'a-new-token-of-the-operator' })).toBe(401);
  });

  test('signs in once by the link in the log, on every replica, and no later line contains a secret', async () => {
    const env = { ...home.env, GATEWAY_AUTH_TOKEN: '', LOG_LEVEL: 'trace' };
    const [one, other] = await Promise.all([spawnService(env), spawnService(env)]);
    const [, code = ''] = await waitFor('the link', async () => /\/login\?code=([\w-]+)/.exec(one.output()));
    const generated = /the token of this start: ([\w-]+)/.exec(one.output())?.[1] ?? '';
    const browser = openBrowser();
    expect((await browser.signIn(one.url, { code })).status).toBe(200);
    expect((await openBrowser().signIn(one.url, { code })).status).toBe(401);
    expect((await openBrowser().signIn(one.url, { token: generated })).status).toBe(200);
    await openBrowser().signIn(one.url, { token: 'wrong-but-secret' });
    const [first] = [...browser.cookiesOf(one.url).values()];
    const headers = { cookie: `reborn_session=${first}`, 'x-session-key': browser.keyOf(one.url) };
    expect((await fetch(`${other.url}/api/status`, { headers })).status).toBe(200);
    await Promise.all([one.kill('SIGTERM'), other.kill('SIGTERM')]);

    const later = one
      .output()
      .split('\n')
      .filter((line) => !line.includes('The gateway is at'));
    for (const secret of [code, generated, TOKEN, 'wrong-but-secret', ...Object.values(headers)])
      expect(later.join('\n')).not.toContain(secret);
  });

  test('a configured token is never logged, and its link works once', async () => {
    const started = await spawnService({ ...home.env, LOG_LEVEL: 'trace' });
    const code = /\/login\?code=([\w-]+)/.exec(started.output())?.[1] ?? '';
    expect((await openBrowser().signIn(started.url, { code })).status).toBe(200);
    const link = await runReborn(['link'], { env: { ...home.env, ...SETTINGS } });
    await started.kill('SIGTERM');

    expect(link).toMatchObject({ code: 0, stdout: expect.stringMatching(/^http:\S+\/login\?code=[\w-]{43}\n$/) });
    for (const secret of [SETTINGS.GATEWAY_AUTH_TOKEN, TOKEN]) expect(started.output()).not.toContain(secret);
  });

  test('a link made with a token signs in as its user, and the session ends with that token', async () => {
    const ann = await addUser(service, 'Linked-Ann');
    const made = await service.request('/api/sign-in-links', { method: 'POST', body: '{}', headers: ann.headers });
    const { url } = (await made.json()) as { url: string };
    const browser = openBrowser();
    await browser.signIn(service.url, { code: new URL(url).searchParams.get('code') ?? '' });
    const me = await browser.visit(`${service.url}/api/me`);
    expect([made.status, await me.json()]).toEqual([201, expect.objectContaining({ name: 'Linked-Ann' })]);

    await service.request(`/api/tokens/${ann.tokenId}`, { method: 'DELETE' });
    expect((await browser.visit(`${service.url}/api/me`)).status).toBe(401);
  });
});

describe('behind a proxy that speaks https', () => {
  const https = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'agent.example.com' };
  const post = (url: string, headers: Record<string, string> = {}) =>
    fetch(`${url}/login`, {
      method: 'POST',
      headers: { ...sameOrigin, ...headers },
      body: JSON.stringify({ token: TOKEN }),
    });

  test('only this host can set the cookie, and the browser stays on https', async () => {
    const at = await startService({ ...home.env, TRUSTED_PROXIES: '127.0.0.1' });
    const login = await post(at.url, https);
    const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
    const { session_key: key } = (await login.json()) as { session_key: string };
    const send = (headers: Record<string, string>) =>
      fetch(`${at.url}/api/chat/send`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie, 'x-session-key': key, ...headers },
        body: '{"message":"hello"}',
      });

    expect(login.headers.get('set-cookie')).toMatch(/^__Host-reborn_session=.*; Secure$/);
    expect(login.headers.get('strict-transport-security')).toContain('max-age=');
    expect((await send({ ...https, origin: 'https://agent.example.com' })).status).toBe(202);
    expect((await send({ ...https, origin: at.url })).status).toBe(403);
    expect((await send({ origin: 'https://agent.example.com' })).status).toBe(401);
    await at.close();
  });

  test('headers of an untrusted proxy are ignored', async () => {
    const login = await post(service.url, https);

    expect(login.headers.get('set-cookie')).toMatch(/^reborn_session=/);
    expect(login.headers.get('strict-transport-security')).toBeNull();
  });

  test('PUBLIC_URL has the same effect', async () => {
    const at = await startService({ ...home.env, PUBLIC_URL: 'https://agent.example.com' });
    const login = await post(at.url);

    expect(login.headers.get('set-cookie')).toMatch(/^__Host-reborn_session=.*; Secure$/);
    await at.close();
  });
});

describe('every answer of the gateway', () => {
  test.each(['/', '/login', '/healthz', '/api/status', '/nowhere', '/openapi.json', '/%zz', '/login/oidc/callback'])(
    '%s has security headers',
    async (route) => {
      const { headers } = await fetch(service.url + route, { redirect: 'manual' });

      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
    },
  );

  test('a stream has security headers', async () => {
    const response = await service.post({ input: 'hello', stream: true });
    await response.text();

    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });
});
