import { describe, expect } from 'vitest';
import { addUser } from '../../support/accounts.ts';
import { openBrowser } from '../../support/browser.ts';
import { changeIdentities } from '../../support/change-identities.ts';
import { journey } from '../../support/journey.ts';
import type { Service } from '../../support/service.ts';
import { openSocket } from '../../support/socket.ts';
import { waitFor } from '../../support/wait-for.ts';

const test = journey().extend('replica', { scope: 'file' }, ({ startAnother }) => startAnother());

async function change(service: Service, id: string, body: object, headers: Record<string, string> = {}) {
  const response = await service.request(`/api/users/${id}`, { method: 'PATCH', body: JSON.stringify(body), headers });
  return { status: response.status, json: (await response.json()) as { error?: { code: string; param: string } } };
}

const mayListUsers = async (at: Service, headers: Record<string, string>) =>
  (await at.request('/api/users', { headers })).status;

describe('a name and a role', () => {
  test('are changed by an operator, and the audit log has both', async ({ service }) => {
    const { id } = await addUser(service, 'Ann');

    expect(await change(service, id, { name: ' Anne ', role: 'operator' })).toMatchObject({
      status: 200,
      json: { id, name: 'Anne', role: 'operator' },
    });
    const { entries, names } = (await (await service.request('/api/audit?limit=1')).json()) as {
      entries: object[];
      names: object;
    };
    const detail = { name: 'Anne', role: 'operator', was: { name: 'Ann', role: 'member' } };
    expect(entries).toMatchObject([{ actor: 'operator', action: 'user.change', subject: id, detail }]);
    expect(names).toEqual({ [id]: 'Anne' });
  });

  test('that stay as they are leave no trace', async ({ service }) => {
    const { id } = await addUser(service, 'Amy');
    const newest = async () =>
      ((await (await service.request('/api/audit?limit=1')).json()) as { entries: [object] }).entries[0];
    const before = await newest();

    expect((await change(service, id, { name: 'Amy', role: 'member' })).status).toBe(200);
    expect(await newest()).toEqual(before);
  });

  test('a name belongs to one user, in any case, but its own case can change', async ({ service }) => {
    const [bob] = [await addUser(service, 'Bob'), await addUser(service, 'Bert')];

    expect(await change(service, bob.id, { name: 'BERT' })).toMatchObject({
      status: 409,
      json: { error: { code: 'already_exists' } },
    });
    expect(await change(service, bob.id, { name: 'BOB' })).toMatchObject({ status: 200, json: { name: 'BOB' } });
  });

  test.for<[object, string | null]>([
    [{}, null],
    [{ role: 'admin' }, 'role'],
    [{ name: ' ' }, 'name'],
    [{ name: 'x', email: 'x@example.com' }, null],
  ])('%j is refused', async ([body, param], { service }) => {
    const { id } = await addUser(service, 'Bill');
    expect(await change(service, id, body)).toMatchObject({ status: 400, json: { error: { param } } });
  });

  test('users who are gone, and the operator of the static tokens, can not be changed', async ({ service }) => {
    const gone = await addUser(service, 'Gone');
    await service.request(`/api/users/${gone.id}`, { method: 'DELETE' });

    for (const id of [gone.id, 'operator', 'webhook:zoe', 'nobody'])
      expect((await change(service, id, { role: 'operator' })).status).toBe(404);
  });
});

describe('a role', () => {
  test('can not be raised by a member, for themselves or for others', async ({ service }) => {
    const [eve, mia] = [await addUser(service, 'Eve'), await addUser(service, 'Mia')];

    for (const id of [eve.id, mia.id, 'me'])
      expect(await change(service, id, { role: 'operator' }, eve.headers)).toMatchObject({
        status: 403,
        json: { error: { code: 'operator_only' } },
      });
    const asMe = await service.request('/api/me', {
      method: 'PATCH',
      headers: eve.headers,
      body: '{"role":"operator"}',
    });
    expect(asMe.status).toBe(400);
    expect(await mayListUsers(service, eve.headers)).toBe(403);
  });

  test('can not be changed by a page of another site', async ({ service }) => {
    const boss = await addUser(service, 'Boss', 'operator');
    const eve = await addUser(service, 'Evelyn');
    const browser = openBrowser();
    await browser.signIn(service.url, { token: boss.token });
    const send = async (headers: Record<string, string>) =>
      (
        await browser.visit(`${service.url}/api/users/${eve.id}`, {
          method: 'PATCH',
          headers: { 'content-type': 'application/json', ...headers },
          body: '{"role":"operator"}',
        })
      ).status;

    expect(await send({ 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' })).toBe(403);
    expect(await mayListUsers(service, eve.headers)).toBe(403);
    expect(await send({ 'sec-fetch-site': 'same-origin' })).toBe(200);
  });

  test('applies at once to tokens, sessions and sockets, here and on another replica', async ({ service, replica }) => {
    const olga = await addUser(service, 'Olga', 'operator');
    const browsers = await Promise.all(
      [service, replica].map(async (at) => {
        const browser = openBrowser();
        await browser.signIn(at.url, { token: olga.token });
        return async () => (await browser.visit(`${at.url}/api/users`)).status;
      }),
    );
    const sockets = await Promise.all([service, replica].map((at) => openSocket(at.url, olga.headers)));
    const seen = async () => [
      await mayListUsers(service, olga.headers),
      await mayListUsers(replica, olga.headers),
      ...(await Promise.all(browsers.map((status) => status()))),
    ];
    const turn = async (role: string, status: number) => {
      const changed = performance.now();
      expect((await change(service, olga.id, { role })).status).toBe(200);
      expect(await mayListUsers(service, olga.headers)).toBe(status);
      await waitFor('the other replica to notice', async () => (await seen()).every((each) => each === status));
      return performance.now() - changed;
    };
    expect(await seen()).toEqual([200, 200, 200, 200]); // and every replica remembers

    const tries = [await turn('member', 403)];
    for (const socket of sockets) expect(await socket.closed()).toMatchObject({ code: 1012 });
    while (tries.length < 6 && Math.min(...tries) > 1000)
      tries.push(await turn(tries.length % 2 ? 'operator' : 'member', tries.length % 2 ? 200 : 403)); // a busy machine
    expect(Math.min(...tries)).toBeLessThan(1000); // without the signal, a verdict lives for 3 s
  });

  test('can not be lost by the last operator, and one of two can give it up', async ({ service, home }) => {
    await changeIdentities(home, `update users set role = 'member'`);
    const [one, two] = [await addUser(service, 'One', 'operator'), await addUser(service, 'Two', 'operator')];

    expect((await change(service, one.id, { role: 'member' }, one.headers)).status).toBe(200);
    expect(await change(service, two.id, { role: 'member' }, two.headers)).toMatchObject({
      status: 409,
      json: { error: { code: 'last_operator' } },
    });
    expect(await mayListUsers(service, two.headers)).toBe(200);
    // The operator of the static tokens stays one, so the last account may lose the role to them.
    expect((await change(service, two.id, { role: 'member' })).status).toBe(200);
  });

  test('two operators who take it from each other at the same time leave one', async ({ service, home }) => {
    await changeIdentities(home, `update users set role = 'member'`);
    const [one, two] = [await addUser(service, 'Uno', 'operator'), await addUser(service, 'Due', 'operator')];
    const both = await Promise.all([
      change(service, two.id, { role: 'member' }, one.headers),
      change(service, one.id, { role: 'member' }, two.headers),
    ]);

    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 403]);
    const { users } = (await (await service.request('/api/users?limit=100')).json()) as { users: { role: string }[] };
    expect(users.filter(({ role }) => role === 'operator')).toHaveLength(1);
  });
});
