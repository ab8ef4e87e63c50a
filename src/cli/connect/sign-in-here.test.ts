// @module-tag slow
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createBrowserSignIn } from '#tools/auth/browser-sign-in.ts';
import { createCredentials } from '#tools/auth/credentials.ts';
import { createRefresh } from '#tools/auth/refresh.ts';
import type { Send } from '#tools/auth/token-endpoint.ts';
import type { ToolAuth } from '#tools/auth/tool-auth.ts';
import { toolSignIn } from '#tools/auth/tool-sign-in.ts';
import type { SecretHolder } from '#tools/secrets/holder.ts';
import { createKeyRing } from '#tools/secrets/key-ring.ts';
import { createSecrets, type Secrets } from '#tools/secrets/secrets.ts';
import { openMigratedDatabase } from '../../../test/support/migrated-database.ts';
import { browse, startOAuthProvider } from '../../../test/support/oauth-provider.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { signInHere } from './sign-in-here.ts';

const ann = { userId: 'ann' };
const TOKEN_URL = 'https://id.example.com/token';

let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
let provider: Awaited<ReturnType<typeof startOAuthProvider>>;
let secrets: Secrets;
let requests: string[];
let signal: AbortController;

beforeAll(async () => {
  database = await openMigratedDatabase();
  secrets = createSecrets({ db: database.db, keys: createKeyRing(Buffer.alloc(32, 1)) });
});
beforeEach(async () => {
  provider = await startOAuthProvider({ client: clientWith('client_secret_post') });
  requests = [];
  signal = new AbortController();
});
afterEach(async () => {
  signal.abort();
  await provider.close();
  await database.everything.query('delete from secrets');
});
afterAll(async () => {
  await database?.close();
});

function clientWith(method: string) {
  return {
    client_id: 'reborn',
    ...(method !== 'none' && { client_secret: 'hunter2+ /%:' }),
    token_endpoint_auth_method: method,
    application_type: 'native',
    redirect_uris: ['http://127.0.0.1/callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    scope: 'openid weather',
  };
}

/** Egress with id.example.com as the provider on loopback. */
const send: Send = async ({ url, body = '', ...request }) => {
  requests.push(body);
  expect(url).toBe(TOKEN_URL);
  const response = await fetch(`${provider.issuer}/token`, { ...request, body });
  return { status: response.status, body: await response.bytes() };
};

const environment = (name: string) => ({ CLIENT_ID: 'reborn', CLIENT_SECRET: 'hunter2+ /%:' })[name];

const authFor = (more: Partial<ToolAuth['oauth']> = {}): ToolAuth => ({
  secretName: 'weather_token',
  oauth: {
    authorizationUrl: `${provider.issuer}/auth?prompt=login`,
    tokenUrl: TOKEN_URL,
    clientIdEnv: 'CLIENT_ID',
    clientSecretEnv: 'CLIENT_SECRET',
    scopes: ['weather'],
    ...more,
  },
});

/** A command on the browser's machine that asks the service. */
function begin(auth = authFor(), holder: SecretHolder = ann) {
  const signIns = createBrowserSignIn({ secrets, send });
  const target = toolSignIn({ secrets, environment }, { name: 'weather', auth }, holder);
  return signInHere({
    port: auth.oauth?.redirectPort,
    signal: signal.signal,
    begin: (redirectUri) => signIns.begin(holder, target, redirectUri),
    finish: (answer) => signIns.finish(holder, target, answer, 'ann'),
  });
}

async function signIn(auth = authFor()) {
  const { url, done } = await begin(auth);
  const page = await browse(url);
  expect(page.text).toContain('Signed in');
  await done;
  return page;
}

const createReplica = (parts: Partial<Parameters<typeof createRefresh>[0]> = {}) =>
  createCredentials({ secrets, environment, refresh: createRefresh({ secrets, environment, send, ...parts }) });
const wanted = (auth = authFor()) => ({ auth, owner: ann, secretName: 'weather_token' });
const expire = (inSeconds: number) =>
  database.everything.query(
    `update secrets set expires_at = now() + $1 * interval '1 second' where name = 'weather_token'`,
    [inSeconds],
  );
const names = async () =>
  (await database.everything.query('select name from secrets order by name')).rows.map((row) => row.name);

describe('a sign-in', () => {
  test('ends with a page that can be closed, and with a token that the provider made', async () => {
    const page = await signIn();

    expect(page).toMatchObject({ status: 200, text: expect.stringContaining('You can close this window') });
    expect((await createReplica().resolve(wanted()))?.reveal()).toMatch(/^[\w-]{43}$/);
    expect(await names()).toEqual(['weather_token', 'weather_token:grant']);
    expect(await secrets.list(ann)).toMatchObject([{ name: 'weather_token' }]);
  });

  test.each(['client_secret_basic', 'none'])('works with a provider that wants %s', async (method) => {
    await provider.close();
    provider = await startOAuthProvider({ client: clientWith(method) });
    const auth = authFor(method === 'none' ? { clientSecretEnv: undefined } : {});
    await signIn(auth);

    await expire(-1);
    expect((await createReplica().resolve(wanted(auth)))?.reveal()).toMatch(/^[\w-]{43}$/);
  });

  test('always asks with PKCE by S256 and a state, and keeps what the address asks for', async () => {
    const { url } = await begin();
    const query = Object.fromEntries(new URL(url).searchParams);

    expect(query).toMatchObject({
      prompt: 'login',
      response_type: 'code',
      client_id: 'reborn',
      scope: 'weather',
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^weather\.[\w-]{43}$/),
      redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/),
    });
    expect(url).not.toContain('hunter2');
  });

  test('is refused by the provider when the code was made for another verifier', async () => {
    const before = await begin();
    const one = await begin();
    const challenge = new URL(before.url).searchParams.get('code_challenge') ?? '';
    const mixed = new URL(one.url);
    mixed.searchParams.set('code_challenge', challenge);
    const page = await browse(mixed.href);

    expect(page).toMatchObject({ status: 400, text: expect.stringContaining('invalid_grant') });
    await expect(one.done).rejects.toMatchObject({ name: 'AuthFailure', code: 'invalid_grant' });
    expect(await names()).toEqual([]);
  });

  test('refuses a wrong state or path, and keeps waiting', async () => {
    const { url, done } = await begin();
    const redirect = new URL(url).searchParams.get('redirect_uri') ?? '';
    const state = new URL(url).searchParams.get('state') ?? '';
    const wrong = [
      `${redirect}?code=stolen`,
      `${redirect}?code=stolen&state=${'x'.repeat(43)}`,
      `${redirect}?code=stolen&state=${state}x`,
      `${redirect}?error=access_denied&state=`,
    ];
    for (const address of wrong) expect(await browse(address)).toMatchObject({ status: 400 });
    expect(await browse(redirect.replace('/callback', '/'))).toMatchObject({ status: 404 });
    expect((await fetch(`${redirect}?code=c&state=${state}`, { method: 'POST' })).status).toBe(404);
    expect(requests).toEqual([]);

    expect(await browse(url)).toMatchObject({ status: 200 });
    await done;
  });

  test('reports a denial in the browser and to the caller', async () => {
    provider.state.denies = true;
    const { url, done } = await begin();
    const page = await browse(url);

    expect(page.text).toContain('access_denied: ann said &#60;no&#62;');
    await expect(done).rejects.toMatchObject({ name: 'AuthFailure', code: 'access_denied' });
    expect(requests).toEqual([]);
    await expect(fetch(page.url)).rejects.toThrow(); // the listener is closed
  });

  test('listens once only, and ends when it is given up', async () => {
    const first = await signIn();
    await expect(fetch(first.url)).rejects.toThrow();

    const second = await begin();
    second.cancel();
    await expect(second.done).rejects.toThrow('in time');
    await expect(fetch(new URL(second.url).searchParams.get('redirect_uri') ?? '')).rejects.toThrow();
  });

  test('reports a redirect port that is in use', async () => {
    const taken = createServer();
    taken.listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;

    await expect(begin(authFor({ redirectPort: port }))).rejects.toThrow(`Port ${port} on 127.0.0.1 is taken`);
    taken.close();
  });

  test('says where the client id must be put', async () => {
    const auth = authFor({ clientIdEnv: 'ABSENT', clientIdSecret: 'weather_client_id' });

    await expect(begin(auth)).rejects.toThrow(
      'set ABSENT in the environment, or store the secret "weather_client_id" with `reborn tool setup`',
    );
  });

  test('takes the client from stored secrets, too', async () => {
    await secrets.put('everyone', 'weather_client_id', 'reborn');
    await secrets.put('everyone', 'weather_client_secret', 'hunter2+ /%:');
    const stored = { clientIdSecret: 'weather_client_id', clientSecretSecret: 'weather_client_secret' };
    await signIn(authFor({ clientIdEnv: undefined, clientSecretEnv: undefined, ...stored }));

    expect(await secrets.exists(ann, 'weather_token')).toBe(true);
  });
});

describe('a refresh', () => {
  test('happens before the token expires, and the new refresh token takes the place of the old', async () => {
    await signIn();
    const replica = createReplica();
    const tokens = new Set<string | undefined>();
    for (let round = 0; round < 4; round++) {
      tokens.add((await replica.resolve(wanted()))?.reveal());
      await expire(30);
    }

    expect(tokens.size).toBe(4);
    expect(new Set(refreshTokensSent()).size).toBe(3); // each was spent once
  });

  test('does not happen while the token is good', async () => {
    await signIn();
    await Promise.all([createReplica().resolve(wanted()), createReplica().resolve(wanted())]);

    expect(refreshTokensSent()).toEqual([]);
  });

  test('happens once, for any number of requests on any number of replicas', async () => {
    await signIn();
    await expire(-1);
    const other = database.connect();
    const elsewhere = createSecrets({ db: other, keys: createKeyRing(Buffer.alloc(32, 1)) });
    const replicas = [createReplica(), createReplica(), createReplica({ secrets: elsewhere })];
    const asked = Array.from({ length: 20 }, () => replicas.map((replica) => replica.resolve(wanted()))).flat();
    const values = (await Promise.all(asked)).map((token) => token?.reveal());
    await other.destroy();

    expect(new Set(values).size).toBe(1);
    expect(values[0]).toMatch(/^[\w-]{43}$/);
    expect(refreshTokensSent()).toHaveLength(1);
  });

  test('is not repeated after a permanent refusal by the provider, and the tool must sign in', async () => {
    await signIn();
    await database.everything.query(`update secrets set expires_at = now() where name = 'weather_token'`);
    await provider.close();
    provider = await startOAuthProvider({ client: clientWith('client_secret_post') }); // it knows no token of before
    const replica = createReplica();

    expect(await replica.exists(wanted())).toBe(true);
    expect(await replica.resolve(wanted())).toBeUndefined();
    expect(await replica.resolve(wanted())).toBeUndefined();
    expect(refreshTokensSent()).toHaveLength(1);
    expect(await replica.exists(wanted())).toBe(false);
  });

  test('may fail on the way while the token is valid, and the failure is reported afterwards', async () => {
    await signIn();
    const broken = createReplica({ send: () => Promise.reject(new Error('The connection was reset.')) });
    await expire(30);
    expect((await broken.resolve(wanted()))?.reveal()).toMatch(/^[\w-]{43}$/);

    await expire(-1);
    await expect(broken.resolve(wanted())).rejects.toThrow('could not be renewed. The connection was reset.');
    expect((await createReplica().resolve(wanted()))?.reveal()).toMatch(/^[\w-]{43}$/); // the refresh token is unspent
  });

  test('is kept when the database is lost after the provider has answered', async () => {
    await signIn();
    await expire(-1);
    let failures = 2;
    const lossy: Secrets = {
      ...secrets,
      inVault: (holder, act) =>
        secrets.inVault(holder, async (vault, trx) => {
          const result = await act(vault, trx);
          if (failures-- > 0) throw new Error('The connection was lost.');
          return result;
        }),
    };
    const replica = createCredentials({
      secrets,
      environment,
      refresh: createRefresh({ secrets: lossy, environment, send }),
    });
    const renewed = (await replica.resolve(wanted()))?.reveal();

    expect((await createReplica().resolve(wanted()))?.reveal()).toBe(renewed);
    await expire(-1);
    expect((await createReplica().resolve(wanted()))?.reveal()).not.toBe(renewed);
    expect(new Set(refreshTokensSent()).size).toBe(2);
  });

  test('of a token that lives for seconds happens once in its lifetime, and not with each use', async () => {
    await provider.close();
    provider = await startOAuthProvider({ client: clientWith('client_secret_post'), accessTokenSeconds: 30 });
    await signIn();
    for (let use = 0; use < 5; use++) await createReplica().resolve(wanted());
    expect(refreshTokensSent()).toEqual([]);

    await expire(5);
    for (let use = 0; use < 5; use++) await createReplica().resolve(wanted());
    expect(refreshTokensSent()).toHaveLength(1);
  });

  test('never shows the refresh token to another address than the one it came from', async () => {
    await signIn();
    await expire(-1);
    const sent: unknown[] = [];
    const thief = createReplica({
      send: async (request) => {
        sent.push(request);
        return { status: 500, body: Buffer.alloc(0) };
      },
    });

    expect(await thief.resolve(wanted(authFor({ tokenUrl: 'https://thief.example/token' })))).toBeUndefined();
    const other = { ...wanted(), secretName: 'weather_token:grant' };
    await expect(thief.resolve(other)).rejects.toThrow("can't name a secret");
    expect(sent).toEqual([]);
  });

  test('of many users with a slow provider leaves connections for others', async () => {
    const users = Array.from({ length: 30 }, (_, index) => ({ userId: `user-${index}` }));
    for (const owner of users) {
      await secrets.put(owner, 'weather_token', 'old');
      const grant = JSON.stringify({ refreshToken: 'r', tokenUrl: TOKEN_URL, clientId: 'reborn' });
      await secrets.inVault(owner, (vault) =>
        vault.change(
          (writer) => writer.put('weather_token:grant', grant),
          () => 'no right changed',
        ),
      );
    }
    await expire(-1);
    const { promise: open, resolve: release } = Promise.withResolvers<void>();
    onTestFinished(() => release());
    let inside = 0;
    const slow = createReplica({
      send: async () => {
        inside++;
        await open;
        return { status: 200, body: Buffer.from('{"access_token":"new","expires_in":"3600"}') };
      },
    });
    const asked = users.map((owner) => slow.resolve({ ...wanted(), owner }));

    await waitFor('the first refreshes', async () => inside >= 4);
    for (let round = 0; round < 20; round++) expect(await secrets.find(ann, 'other')).toBeUndefined();
    expect(inside).toBe(4);
    release();
    expect(new Set((await Promise.all(asked)).map((token) => token?.reveal()))).toEqual(new Set(['new']));
  });
});

describe('a credential', () => {
  test('comes from the environment first, and from OAuth before what was entered', async () => {
    await secrets.put(ann, 'weather_token', 'entered');
    const withVariable = { ...wanted(), auth: { ...authFor(), envVar: 'CLIENT_ID' } };
    const replica = createReplica();

    expect((await replica.resolve(withVariable))?.reveal()).toBe('reborn');
    expect((await replica.resolve(wanted()))?.reveal()).toBe('entered');
    await signIn();
    expect((await replica.resolve(wanted()))?.reveal()).toMatch(/^[\w-]{43}$/);
    await secrets.put(ann, 'weather_token', 'entered again');
    expect((await replica.resolve(wanted()))?.reveal()).toBe('entered again');
    expect(await names()).toEqual(['weather_token']);
  });

  test('of another name than the section is about is only looked up', async () => {
    await secrets.put('everyone', 'other', 'entered');
    const auth = { ...authFor(), envVar: 'CLIENT_ID' };
    const replica = createReplica();

    expect((await replica.resolve({ auth, owner: ann, secretName: 'other' }))?.reveal()).toBe('entered');
    expect(await replica.resolve({ auth, owner: ann, secretName: 'absent' })).toBeUndefined();
    expect(await replica.exists({ auth: undefined, owner: ann, secretName: 'other' })).toBe(true);
    expect(await replica.exists({ auth: undefined, owner: ann, secretName: 'absent' })).toBe(false);
  });

  test("of everyone's is renewed for everyone", async () => {
    const { url, done } = await begin(authFor(), 'everyone');
    await browse(url);
    await done;
    await expire(-1);
    const first = await createReplica().resolve(wanted());
    const second = await createReplica().resolve({ ...wanted(), owner: { userId: 'bob' } });

    expect([first?.reveal(), refreshTokensSent().length]).toEqual([second?.reveal(), 1]);
  });

  test('that is removed takes its refresh token along', async () => {
    await signIn();
    await secrets.remove(ann, 'weather_token');

    expect(await names()).toEqual([]);
  });
});

test.each([
  ['{"error":"invalid_request","error_description":"code r3fr3sh and hunter2+ /%: are wrong"}', 'code \\*\\*\\* and'],
  ['{"access_token":""}', 'answered 200 and gave no token'],
  ['<html>', 'gave no token'],
  ['[]', 'gave no token'],
  ['null', 'gave no token'],
])('an answer of %j is reported without any data that was sent', async (body, says) => {
  await signIn();
  await expire(-1);
  const grant = JSON.stringify({ refreshToken: 'r3fr3sh', tokenUrl: TOKEN_URL, clientId: 'reborn' });
  await secrets.inVault(ann, (vault) =>
    vault.change(
      (writer) => writer.put('weather_token:grant', grant),
      () => 'no right changed',
    ),
  );
  const odd = createReplica({ send: async () => ({ status: 200, body: Buffer.from(body) }) });
  const failure: unknown = await odd.resolve(wanted()).catch((error: unknown) => error);

  expect(failure).toMatchObject({ name: 'AuthFailure', message: expect.stringMatching(says) });
  expect(inspect(failure, { showHidden: true, depth: 9 })).not.toMatch(/hunter2|r3fr3sh/);
});

function refreshTokensSent(): string[] {
  return requests
    .map((body) => new URLSearchParams(body))
    .filter((form) => form.get('grant_type') === 'refresh_token')
    .map((form) => form.get('refresh_token') ?? '');
}
