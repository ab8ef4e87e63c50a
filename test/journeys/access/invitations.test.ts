import { createHash } from 'node:crypto';
import { describe, expect } from 'vitest';
import { addUser } from '../../support/accounts.ts';
import { openBrowser } from '../../support/browser.ts';
import { changeIdentities } from '../../support/change-identities.ts';
import { journey } from '../../support/journey.ts';
import { type Service, TOKEN } from '../../support/service.ts';

const test = journey();

type Invited = { id: string; url: string; role: string; name: string | null; expires_at: string };
type Body = { [field: string]: never } & { code?: string };

async function invite(service: Service, body: object = { role: 'member' }, headers = {}): Promise<Invited> {
  const response = await service.request('/api/invitations', { method: 'POST', body: JSON.stringify(body), headers });
  if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as Invited;
}

const codeOf = ({ url }: Invited) => new URLSearchParams(new URL(url).hash.slice(1)).get('invitation') ?? '';

const listed = async (service: Service) =>
  ((await (await service.request('/api/invitations')).json()) as { invitations: Invited[] }).invitations;

/** Opens the link in a browser, types a name and joins. */
async function join(service: Service, invitation: Invited, name: string, browser = openBrowser()) {
  const response = await browser.signIn(service.url, { invitation: codeOf(invitation), name });
  const me = async () =>
    (await (await browser.visit(`${service.url}/api/me`)).json()) as { user_id: string; name: string; role: string };
  return { status: response.status, text: await response.text(), browser, me };
}

const errorOf = (text: string) => (JSON.parse(text) as { error: Body }).error.code;

describe('an invitation', () => {
  test('makes a person a user of its role and signs the browser in, for 7 days and once', async ({ service }) => {
    const before = Date.now();
    const invitation = await invite(service, { role: 'operator', name: 'for Ada' });
    const week = 7 * 86_400_000;
    expect(Date.parse(invitation.expires_at) - before).toBeGreaterThan(week - 60_000);
    expect(Date.parse(invitation.expires_at) - before).toBeLessThan(week + 60_000);
    expect(await listed(service)).toContainEqual(expect.objectContaining({ id: invitation.id, name: 'for Ada' }));

    const ada = await join(service, invitation, ' Ada ');
    expect([ada.status, await ada.me()]).toMatchObject([200, { name: 'Ada', role: 'operator' }]);
    expect((await listed(service)).map(({ id }) => id)).not.toContain(invitation.id);

    const again = await join(service, invitation, 'Somebody else');
    expect(again.status).toBe(401);
    expect(again.browser.cookiesOf(service.url).size).toBe(0);
  });

  test('its code is in no address that a server or a log sees, and is stored as a hash', async ({ service, home }) => {
    const invitation = await invite(service);
    const url = new URL(invitation.url);

    expect(url.pathname + url.search).toBe('/login');
    expect(codeOf(invitation)).toMatch(/^[\w-]{43}$/);
    const hash = createHash('sha256').update(codeOf(invitation)).digest('hex');
    await changeIdentities(
      home,
      `do $$ begin
         assert (select count(*) = 1 from invitations where id = '${invitation.id}' and hash = '\\x${hash}'::bytea);
         assert not exists (select from invitations where to_json(invitations)::text like '%${codeOf(invitation)}%');
       end $$`,
    );
    expect(JSON.stringify(await listed(service))).not.toContain(codeOf(invitation));
    const { entries } = (await (await service.request('/api/audit?limit=100')).json()) as { entries: object[] };
    expect(JSON.stringify(entries)).not.toContain(codeOf(invitation));
  });

  test('is in the audit log: who made it, who came by it, and who took it back', async ({ service }) => {
    const invitation = await invite(service, { role: 'member', name: 'Bea' });
    const bea = await join(service, invitation, 'Bea');
    const { user_id: id } = await bea.me();
    const other = await invite(service);
    expect((await service.request(`/api/invitations/${other.id}`, { method: 'DELETE' })).status).toBe(204);
    const { entries, names } = (await (await service.request('/api/audit?limit=5')).json()) as {
      entries: object[];
      names: Record<string, string>;
    };

    expect(entries).toMatchObject([
      { actor: 'operator', action: 'invitation.revoke', subject: other.id, detail: { role: 'member' } },
      { actor: 'operator', action: 'invitation.create', subject: other.id },
      { actor: id, action: 'sign-in', detail: { method: 'code' } },
      { actor: id, action: 'user.join', subject: id, detail: { invitation: invitation.id, invitedBy: 'operator' } },
      { actor: 'operator', action: 'invitation.create', subject: invitation.id, detail: { role: 'member' } },
    ]);
    expect(names).toMatchObject({ [id]: 'Bea' });
  });

  test('lets in one of two who use it at the same time', async ({ service }) => {
    const invitation = await invite(service);
    const both = await Promise.all(['Cleo', 'Cora'].map((name) => join(service, invitation, name)));

    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401]);
  });

  test('does nothing after its end, or after it was taken back', async ({ service, home }) => {
    const [late, revoked] = [await invite(service), await invite(service)];
    await changeIdentities(
      home,
      `update invitations set expires_at = now() - interval '1 second' where id = '${late.id}'`,
    );
    const revoke = () => service.request(`/api/invitations/${revoked.id}`, { method: 'DELETE' });

    expect([(await revoke()).status, (await revoke()).status]).toEqual([204, 404]);
    expect((await join(service, late, 'Dana')).status).toBe(401);
    expect((await join(service, revoked, 'Dana')).status).toBe(401);
    const { users } = (await (await service.request('/api/users?q=Dana')).json()) as { users: object[] };
    expect(users).toEqual([]);
  });

  test.for(['removed', 'no operator any more'])(
    'is worth nothing when the operator who made it is %s',
    async (what, { service }) => {
      const boss = await addUser(service, 'Boss', 'operator');
      const invitation = await invite(service, { role: 'operator' }, boss.headers);
      const change = { method: 'PATCH', body: JSON.stringify({ role: 'member' }) };
      await service.request(`/api/users/${boss.id}`, what === 'removed' ? { method: 'DELETE' } : change);

      expect((await join(service, invitation, 'Heir')).status).toBe(401);
      expect((await listed(service)).map(({ id }) => id)).not.toContain(invitation.id);
    },
  );

  test('is not used up by a browser that is signed in already, whose session stays', async ({ service }) => {
    const eve = await addUser(service, 'Eve');
    const browser = openBrowser();
    await browser.signIn(service.url, { token: eve.token });
    const invitation = await invite(service, { role: 'operator' });
    const tried = await join(service, invitation, 'Eve the second', browser);

    expect([tried.status, errorOf(tried.text)]).toEqual([409, 'signed_in']);
    expect(await tried.me()).toMatchObject({ user_id: eve.id, role: 'member' });
    expect((await join(service, invitation, 'Frida')).status).toBe(200);
  });

  test('is not used up by a name that another user has', async ({ service }) => {
    await addUser(service, 'Gina');
    const invitation = await invite(service);
    const taken = await join(service, invitation, 'gina');

    expect([taken.status, errorOf(taken.text)]).toEqual([409, 'already_exists']);
    expect((await join(service, invitation, 'Gina B')).status).toBe(200);
  });

  test.for<[string, Record<string, string>]>([
    ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['a sister site', { 'sec-fetch-site': 'same-site' }],
    ['nowhere in particular', {}],
  ])('can not be used by a page of %s', async ([, headers], { service }) => {
    const invitation = await invite(service);
    const response = await fetch(`${service.url}/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ invitation: codeOf(invitation), name: 'Mallory' }),
    });

    expect([response.status, response.headers.get('set-cookie')]).toEqual([403, null]);
    expect((await listed(service)).map(({ id }) => id)).toContain(invitation.id);
  });

  test('opening its address signs no one in', async ({ service }) => {
    const invitation = await invite(service);
    const browser = openBrowser();
    await browser.visit(`${service.url}/login?invitation=${codeOf(invitation)}`);

    expect(browser.cookiesOf(service.url).size).toBe(0);
    expect((await listed(service)).map(({ id }) => id)).toContain(invitation.id);
  });

  test('is no token, no session and no code of a sign-in link, and none of these is an invitation', async ({
    service,
  }) => {
    const code = codeOf(await invite(service));
    const made = await service.request('/api/sign-in-links', { method: 'POST', body: '{}' });
    const link = new URL(((await made.json()) as { url: string }).url).searchParams.get('code') ?? '';
    const signIn = async (credentials: Record<string, string>) =>
      (await openBrowser().signIn(service.url, credentials)).status;

    expect(await signIn({ token: code })).toBe(401);
    expect(await signIn({ code })).toBe(401);
    for (const invitation of [TOKEN, link, 'x', "' or 1=1 --"])
      expect(await signIn({ invitation, name: 'Mallory' })).toBe(401);
    expect(await signIn({ code: link })).toBe(200);
  });

  test('members can not make, see or take back invitations', async ({ service }) => {
    const { headers } = await addUser(service, 'Hal');
    const { id } = await invite(service);
    const ask = async (method: string, route: string, body?: object) =>
      (await service.request(route, { method, headers, ...(body && { body: JSON.stringify(body) }) })).status;

    expect(await ask('POST', '/api/invitations', { role: 'operator' })).toBe(403);
    expect(await ask('GET', '/api/invitations')).toBe(403);
    expect(await ask('DELETE', `/api/invitations/${id}`)).toBe(403);
    expect((await listed(service)).map((found) => found.id)).toContain(id);
  });

  test.for<[object, string]>([
    [{}, 'role'],
    [{ role: 'admin' }, 'role'],
    [{ role: 'member', name: ' ' }, 'name'],
  ])('%j is refused, and the field is named', async ([body, param], { service }) => {
    const response = await service.request('/api/invitations', { method: 'POST', body: JSON.stringify(body) });
    expect([response.status, await response.json()]).toMatchObject([400, { error: { param } }]);
  });
});
