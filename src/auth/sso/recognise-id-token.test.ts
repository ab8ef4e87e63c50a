// @module-tag slow
import { SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { joinCell } from '#domain/cell/cell.ts';
import { hashEmail, hashIdentity } from '#domain/cell/user-move.ts';
import { findUser, insertUser, listUsers, markRemoved, type NewUser } from '#store/accounts/users.ts';
import { readAudit } from '#store/audit.ts';
import { connectIdentities, type IdentityDatabase, runInTransaction } from '#store/identity-connection.ts';
import {
  CLIENT_ID,
  type IdentityProvider,
  newKey,
  sign,
  startIdentityProvider,
} from '../../../test/support/identity-provider.ts';
import { openMigratedDatabase } from '../../../test/support/migrated-database.ts';
import { unrecorded } from '../../../test/support/unrecorded.ts';
import { createElsewhere } from '../tokens/elsewhere.ts';
import { type Admit, admitOidcUser } from './admit-oidc-user.ts';
import { createProvider, type OidcSettings, type Provider } from './oidc-provider.ts';
import { recogniseIdToken } from './single-sign-on.ts';

const PEOPLE = [
  { sub: 'ann', name: 'Ann', email: 'Ann@Example.com', email_verified: true },
  { sub: 'bob', name: 'Bob', email: 'bob@elsewhere.com', email_verified: true },
  { sub: 'cat', name: 'Cat', email: 'cat@example.com', email_verified: false },
  { sub: 'dan', email: 'dan@notexample.com', email_verified: true },
  { sub: 'eve', email: 'eve@example.com.evil.org', email_verified: true },
  { sub: 'nobody' },
];

let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
let identities: IdentityDatabase;
let idp: IdentityProvider;
let provider: Provider;
let problems: unknown[];

beforeAll(async () => {
  database = await openMigratedDatabase();
});

afterAll(() => database.close());

beforeEach(async () => {
  identities = connectIdentities(database.connection, () => {});
  idp = await startIdentityProvider({ people: PEOPLE });
  problems = [];
  provider = createProvider(settings(), (error) => problems.push(error), 200);
});

afterEach(async () => {
  await identities.destroy();
  await idp.close().catch(() => {});
});

const settings = (allowedDomains?: string[]): OidcSettings => ({
  issuer: idp.issuer,
  clientId: CLIENT_ID,
  clientSecret: undefined,
  allowedDomains,
});

const admitTo =
  (allowedDomains?: string[]): Admit =>
  (claims) =>
    admitOidcUser(
      { db: identities, elsewhere: createElsewhere(identities), allowedDomains, placing: undefined },
      claims,
    );

const recognise = async (token: string, allowedDomains?: string[]) =>
  (await recogniseIdToken(provider, settings(allowedDomains), admitTo(allowedDomains), token)).verdict;

async function userOf(token: string): Promise<string> {
  const verdict = await recognise(token);
  if (verdict.outcome !== 'known') throw new Error(verdict.outcome);
  return verdict.principal.userId;
}

const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;
const usual = () => ({ sub: crypto.randomUUID(), exp: inSeconds(300) });

test('a first sign-in creates a member, and later sign-ins find the same user', async () => {
  const userId = await userOf(await idp.idToken('ann'));

  expect(await findUser(identities, userId)).toMatchObject({ name: 'Ann', email: 'ann@example.com', role: 'member' });
  expect(await userOf(await idp.idToken('ann'))).toBe(userId);
  expect(await readAudit(identities, { before: undefined, limit: 1 })).toMatchObject([
    { actor: userId, action: 'user.first-sign-in', detail: { issuer: idp.issuer, email: 'ann@example.com' } },
  ]);
});

test.each(['', 'a\u0000b', 'x'.repeat(256), 'æ'])('the subject %j is refused', async (sub) => {
  expect(await recognise(await idp.sign({ ...usual(), sub }))).toEqual({ outcome: 'unknown' });
});

test('an invalid name or email is cleaned or left out', async () => {
  const odd = { name: `An\u0000n ${'x'.repeat(5000)}`, email: 'a@evil@example.com', email_verified: true };
  const user = await findUser(identities, await userOf(await idp.sign({ ...usual(), ...odd })));

  expect(user?.name).toMatch(/^An n x{100,}$/);
  expect(user?.name.length).toBeLessThanOrEqual(200);
  expect(user?.email).toBeNull();
});

test.each(['identity', 'email'])('who left this cell is known by their %s to be in another one', async (by) => {
  onTestFinished(() => joinCell(undefined));
  joinCell(1);
  const claims = { ...usual(), email: `left-by-${by}@example.com`, email_verified: true };
  const hash = by === 'email' ? hashEmail(claims.email) : hashIdentity({ issuer: idp.issuer, subject: claims.sub });
  await identities.insertInto('forwards').values({ hash, subject: 'ann', cell: 2 }).execute();

  expect(await recognise(await idp.sign(claims))).toEqual({ outcome: 'elsewhere', cell: 2, isGuess: false });
});

test('twenty concurrent first requests create one user', async () => {
  const claims = usual();
  const tokens = await Promise.all(Array.from({ length: 20 }, (_, i) => idp.sign({ ...claims, jti: String(i) })));
  const users = await Promise.all(tokens.map(userOf));

  expect(new Set(users).size).toBe(1);
});

const addUser = (user: NewUser) =>
  runInTransaction(identities, (trx) => unrecorded(trx, (writing) => insertUser(writing, user)));
const removeUser = (id: string) =>
  runInTransaction(identities, (trx) => unrecorded(trx, (writing) => markRemoved(writing, id)));

test('a verified email claims the user who was added with it, and no other user', async () => {
  const boss = { id: 'added', name: 'Boss', email: 'boss@example.com', role: 'operator' } as const;
  const added = await addUser(boss);
  const withEmail = (verified: boolean) =>
    idp.sign({ ...usual(), email: 'Boss@example.com', email_verified: verified });

  expect(await userOf(await withEmail(false))).not.toBe('added');
  expect(await recognise(await withEmail(true))).toEqual({
    outcome: 'known',
    principal: { userId: added?.id, role: 'operator' },
  });
  const namesake = await userOf(await withEmail(true));
  expect(namesake).not.toBe('added');
  expect(await findUser(identities, namesake)).toMatchObject({ email: null, role: 'member' });
});

test('a removed user stays out', async () => {
  const token = await idp.sign(usual());
  const userId = await userOf(token);
  await removeUser(userId);

  expect(await recognise(token)).toEqual({ outcome: 'unknown' });
});

test('a token for several clients is accepted if it was issued to this one', async () => {
  const claims = { ...usual(), aud: ['another', CLIENT_ID], azp: CLIENT_ID };

  expect(await recognise(await idp.sign(claims))).toMatchObject({ outcome: 'known' });
});

test.each([true, false])(
  'a user removed before the first sign-in stays out until they are added again (email verified: %s)',
  async (verified) => {
    const email = `early-${verified}@example.com`;
    const sso = () => idp.sign({ ...usual(), email: email.toUpperCase(), email_verified: verified });
    const user = { name: 'Early', email, role: 'operator' } as const;
    await addUser({ id: `early-${verified}`, ...user });
    await removeUser(`early-${verified}`);
    const before = await listUsers(identities, { after: undefined, limit: 1000 });

    expect(await recognise(await sso())).toEqual({ outcome: 'unknown' });
    expect(await listUsers(identities, { after: undefined, limit: 1000 })).toEqual(before);

    await addUser({ id: `again-${verified}`, ...user });
    expect(await recognise(await sso())).toMatchObject({ outcome: 'known' });
  },
);

describe('with OIDC_ALLOWED_DOMAINS', () => {
  test.each([['example.com'], ['EXAMPLE.com'], ['other.org', 'example.com']])('%s admits Ann', async (...domains) => {
    expect(await recognise(await idp.idToken('ann'), domains)).toMatchObject({ outcome: 'known' });
  });

  test.each(['bob', 'cat', 'dan', 'eve', 'nobody'])('%s is refused, and does not become a user', async (sub) => {
    const before = await listUsers(identities, { after: undefined, limit: 1000 });

    expect(await recognise(await idp.idToken(sub), ['example.com'])).toEqual({ outcome: 'domain-not-allowed' });
    expect(await listUsers(identities, { after: undefined, limit: 1000 })).toEqual(before);
  });

  test('"true" in quotes is not verified', async () => {
    const token = await idp.sign({ ...usual(), email: 'x@example.com', email_verified: 'true' });

    expect(await recognise(token, ['example.com'])).toEqual({ outcome: 'domain-not-allowed' });
  });
});

describe('a token is refused', () => {
  test('once it has expired, with tolerance for clock skew', async () => {
    expect(await recognise(await idp.sign({ ...usual(), exp: inSeconds(-61) }))).toEqual({ outcome: 'unknown' });
    expect(await recognise(await idp.sign({ ...usual(), exp: inSeconds(-30) }))).toMatchObject({ outcome: 'known' });
  });

  test.each<[string, object]>([
    ['never expires', { exp: undefined }],
    ['is for another client', { aud: 'another' }],
    ['was issued to another client', { aud: ['another', CLIENT_ID], azp: 'another' }],
    ['does not say to which client it was issued', { aud: ['another', CLIENT_ID] }],
    ['is from another issuer', { iss: 'https://evil.example' }],
    ['has no subject', { sub: undefined }],
    ['is not valid yet', { nbf: inSeconds(120) }],
  ])('if it %s', async (_what, claims) => {
    expect(await recognise(await idp.sign({ ...usual(), ...claims }))).toEqual({ outcome: 'unknown' });
  });

  test('if it was signed with another key, even with the ID of the right one', async () => {
    const stranger = await newKey();
    const claims = { iss: idp.issuer, aud: CLIENT_ID, ...usual() };

    expect(await recognise(await sign(stranger, claims))).toEqual({ outcome: 'unknown' });
    expect(await recognise(await sign({ ...stranger, kid: idp.key.kid ?? '' }, claims))).toEqual({
      outcome: 'unknown',
    });
  });

  test('if it is unsigned, or signed with a shared secret', async () => {
    const claims = { iss: idp.issuer, aud: CLIENT_ID, ...usual() };
    const secret = new TextEncoder().encode(JSON.stringify(idp.key));
    const shared = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: idp.key.kid ?? '' }).sign(secret);

    expect(await recognise(new UnsecuredJWT(claims).encode())).toEqual({ outcome: 'unknown' });
    expect(await recognise(shared)).toEqual({ outcome: 'unknown' });
  });

  test('if it is a logout token', async () => {
    expect(await recognise(await idp.sign(usual(), { typ: 'logout+jwt' }))).toEqual({ outcome: 'unknown' });
  });

  test.each(['a.b.c', '..', 'e30.e30.e30'])('if it is nonsense: %s', async (token) => {
    expect(await recognise(token)).toEqual({ outcome: 'unknown' });
  });
});

describe('the provider', () => {
  test('may change its keys: new ones are fetched, old ones are refused', async () => {
    const before = await idp.sign(usual());
    expect(await recognise(before)).toMatchObject({ outcome: 'known' });

    const { port } = idp;
    await idp.close();
    idp = await startIdentityProvider({ port, people: PEOPLE });
    const after = await idp.sign(usual());
    await expect.poll(() => recognise(after)).toMatchObject({ outcome: 'known' });
    expect(await recognise(before)).toEqual({ outcome: 'unknown' });
  });

  test('may be down at first, and is contacted again later, but not by every request', async () => {
    const token = await idp.sign(usual());
    const { port, key } = idp;
    await idp.close();
    const verdicts = await Promise.all(Array.from({ length: 10 }, () => recognise(token)));

    expect(verdicts).toEqual(verdicts.map(() => ({ outcome: 'provider-away' })));
    expect(problems).toHaveLength(1);
    idp = await startIdentityProvider({ port, people: PEOPLE, key });
    await expect.poll(() => recognise(token)).toMatchObject({ outcome: 'known' });
  });

  test('may go down later: tokens with known keys are accepted, even while unknown keys are requested', async () => {
    const token = await idp.sign(usual());
    expect(await recognise(token)).toMatchObject({ outcome: 'known' });
    await idp.close();

    expect(await recognise(token)).toMatchObject({ outcome: 'known' });
    const strange = await sign(await newKey(), { iss: idp.issuer, aud: CLIENT_ID, ...usual() });
    await expect.poll(() => recognise(strange)).toEqual({ outcome: 'provider-away' });
    expect(await recognise(token)).toMatchObject({ outcome: 'known' });
  });
});
