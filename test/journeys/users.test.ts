import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addUser } from '../support/accounts.ts';
import { BARE_ENV } from '../support/bare-env.ts';
import { freshHome } from '../support/fresh-home.ts';
import { startService } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';

type Service = Awaited<ReturnType<typeof startService>>;

let home: Awaited<ReturnType<typeof freshHome>>;
let service: Service;
let replica: Service;

beforeAll(async () => {
  home = await freshHome();
  service = await startService(home.env);
  replica = await startService(home.env);
});

afterAll(async () => {
  await Promise.all([service.close(), replica.close()]);
  await home.remove();
});

type Sent = { status: number; json: Record<string, never> & { [key: string]: unknown }; text: string };

async function send(method: string, route: string, body?: object, headers: Record<string, string> = {}): Promise<Sent> {
  const response = await service.request(route, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, text, json: text.startsWith('{') ? JSON.parse(text) : {} };
}

const statusOf = async (on: Service, headers: { authorization: string }) =>
  (await on.request('/api/status', { headers })).status;

describe('users', () => {
  test('the operator adds a user, finds them in the list, and removes them', async () => {
    const added = await send('POST', '/api/users', { name: ' Ann ', email: 'Ann@Example.com', role: 'member' });

    expect(added).toMatchObject({ status: 201, json: { name: 'Ann', email: 'ann@example.com', role: 'member' } });
    expect((await send('GET', '/api/users')).json).toMatchObject({ users: [added.json], next_cursor: null });

    expect((await send('DELETE', `/api/users/${added.json['id']}`)).status).toBe(204);
    expect((await send('DELETE', `/api/users/${added.json['id']}`)).status).toBe(404);
    expect((await send('GET', '/api/users')).json).toMatchObject({ users: [] });
  });

  test('an email belongs to one user at a time, however it is spelt', async () => {
    const first = await send('POST', '/api/users', { name: 'Bob', email: 'bob@example.com', role: 'member' });
    const again = { name: 'Bob', email: 'BOB@example.com', role: 'operator' };

    expect(await send('POST', '/api/users', again)).toMatchObject({
      status: 409,
      json: { error: { type: 'conflict_error', code: 'already_exists' } },
    });
    await send('DELETE', `/api/users/${first.json['id']}`);
    expect((await send('POST', '/api/users', again)).status).toBe(201);
  });

  test('the list comes in pages', async () => {
    for (const name of ['p1', 'p2', 'p3']) await send('POST', '/api/users', { name, role: 'member' });
    const all = (await send('GET', '/api/users')).json['users'] as unknown as { id: string }[];
    const seen: { id: string }[] = [];
    let cursor = '';
    for (;;) {
      const { json } = await send('GET', `/api/users?limit=2${cursor && `&cursor=${cursor}`}`);
      seen.push(...(json['users'] as unknown as { id: string }[]));
      if (json['next_cursor'] === null) break;
      cursor = String(json['next_cursor']);
    }

    expect(seen).toEqual(all);
  });

  test.each<[object, string]>([
    [{ role: 'member' }, 'name'],
    [{ name: '  ', role: 'member' }, 'name'],
    [{ name: 'x'.repeat(201), role: 'member' }, 'name'],
    [{ name: 'x' }, 'role'],
    [{ name: 'x', role: 'admin' }, 'role'],
    [{ name: 'x', role: 'member', email: 'nonsense' }, 'email'],
  ])('%j is refused, and the field is named', async (body, param) => {
    expect(await send('POST', '/api/users', body)).toMatchObject({ status: 400, json: { error: { param } } });
  });

  test.each(['limit=0', 'limit=101', 'limit=x', 'cursor=%27;'])('GET /api/users?%s is 400', async (query) => {
    expect((await send('GET', `/api/users?${query}`)).status).toBe(400);
  });

  test('a user with the role operator is a user of their own, with an operator’s rights', async () => {
    const boss = await addUser(service, 'boss', 'operator');
    const answer = await service.ask('hello');

    expect((await send('GET', '/api/users', undefined, boss.headers)).status).toBe(200);
    expect((await send('GET', `/api/v1/responses/${answer.id}`, undefined, boss.headers)).status).toBe(404);
  });
});

describe('limits on spending', () => {
  const put = (id: string, limits: object) => send('PUT', `/api/users/${id}/limits`, limits);
  const limitsOf = async (id: string) => {
    const { users } = (await send('GET', '/api/users?limit=100')).json as unknown as {
      users: { id: string; limits: object }[];
    };
    return users.find((user) => user.id === id)?.limits;
  };

  test('the operator sets them, sees them in the list and in the audit log, and takes them away', async () => {
    const { id } = await addUser(service, 'Ned');
    expect(await limitsOf(id)).toEqual({ tokens_per_day: null, usd_per_day: null });

    const limits = { tokens_per_day: 9_000_000_000, usd_per_day: 2.5 };
    expect(await put(id, limits)).toMatchObject({ status: 200, json: limits });
    expect(await limitsOf(id)).toEqual(limits);
    expect((await send('GET', '/api/audit?limit=1')).json['entries']).toMatchObject([
      { actor: 'operator', action: 'user.limit', subject: id, detail: { tokensPerDay: 9_000_000_000, usdPerDay: 2.5 } },
    ]);

    expect((await put(id, { tokens_per_day: null, usd_per_day: null })).status).toBe(200);
    expect(await home.query('select from budgets where user_id = $1', [id])).toEqual([]);
  });

  test.each<[object, string]>([
    [{ tokens_per_day: -1, usd_per_day: null }, 'tokens_per_day'],
    [{ tokens_per_day: 1.5, usd_per_day: null }, 'tokens_per_day'],
    [{ tokens_per_day: 2 ** 60, usd_per_day: null }, 'tokens_per_day'],
    [{ tokens_per_day: 1, usd_per_day: '2' }, 'usd_per_day'],
    [{ tokens_per_day: 1, usd_per_day: 1e300 }, 'usd_per_day'],
    [{ tokens_per_day: 1 }, 'usd_per_day'],
  ])('%j is refused, and the field is named', async (body, param) => {
    expect(await put('operator', body)).toMatchObject({ status: 400, json: { error: { param } } });
  });

  test('a webhook user can be limited, and nobody can not', async () => {
    const limits = { tokens_per_day: 5, usd_per_day: null };
    expect((await put('webhook:zoe', limits)).status).toBe(200);
    expect((await put('nobody', limits)).status).toBe(404);
  });
});

describe('tokens', () => {
  test('a token lets its user in, is shown once, and its use is noted', async () => {
    const { id, token, headers } = await addUser(service, 'Cat');
    const list = async () => (await send('GET', `/api/users/${id}/tokens`)).text;

    expect(token).toMatch(/^reborn_[\w-]{43}$/);
    expect(await list()).not.toContain(token);
    expect(await list()).toContain('"last_used_at":null');
    expect(await statusOf(service, headers)).toBe(200);
    await waitFor('the use to be noted', async () => !(await list()).includes('"last_used_at":null'));
  });

  test('a token ends at its time', async () => {
    const { id } = await addUser(service, 'Dan');
    const expiry = new Date(Date.now() + 2000).toISOString();
    const made = await send('POST', `/api/users/${id}/tokens`, { name: 'brief', expires_at: expiry });
    const headers = { authorization: `Bearer ${made.json['token']}` };

    expect(made.json['expires_at']).toBe(expiry);
    const early = await statusOf(service, headers);
    expect(early === 200 || Date.now() >= Date.parse(expiry)).toBe(true); // a very busy machine may be late
    await waitFor('the token to end', async () => (await statusOf(service, headers)) === 401);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiry));
  });

  test.each<[object, string]>([
    [{ name: '' }, 'name'],
    [{ name: 'x', expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
    [{ name: 'x', expires_at: 'tomorrow' }, 'expires_at'],
    [{ name: 'x', expires_at: 5 }, 'expires_at'],
  ])('%j is refused, and the field is named', async (body, param) => {
    const answer = await send('POST', '/api/users/me/tokens', body);
    expect(answer).toMatchObject({ status: 400, json: { error: { param } } });
  });

  test('a token for nobody, and none for the operator of the static tokens: 404', async () => {
    for (const id of ['nobody', 'operator', 'me', '00000000-0000-4000-8000-000000000000'])
      expect((await send('POST', `/api/users/${id}/tokens`, { name: 'x' })).status).toBe(404);
  });

  test('revoked here, a token is refused here at once, and on another replica within 5 s', async () => {
    const { headers, tokenId } = await addUser(service, 'Eve');
    expect([await statusOf(service, headers), await statusOf(replica, headers)]).toEqual([200, 200]);

    expect((await send('DELETE', `/api/tokens/${tokenId}`)).status).toBe(204);
    const revoked = performance.now();
    expect(await statusOf(service, headers)).toBe(401);
    await waitFor('the replica to refuse it', async () => (await statusOf(replica, headers)) === 401);
    expect(performance.now() - revoked).toBeLessThan(5000);
    expect((await send('DELETE', `/api/tokens/${tokenId}`)).status).toBe(404);
  });

  test('the tokens of a user who is removed are soon refused on every replica', async () => {
    const { id, headers } = await addUser(service, 'Fay');
    expect(await statusOf(replica, headers)).toBe(200);

    await send('DELETE', `/api/users/${id}`);
    expect(await statusOf(service, headers)).toBe(401);
    await waitFor('the replica to refuse it', async () => (await statusOf(replica, headers)) === 401);
    expect((await send('POST', `/api/users/${id}/tokens`, { name: 'x' })).status).toBe(404);
  });
});

describe('a member', () => {
  test('makes, sees and revokes their own tokens, by their id or as me', async () => {
    const { id, headers } = await addUser(service, 'Gil');
    const made = await send('POST', '/api/users/me/tokens', { name: 'mine' }, headers);
    const list = await send('GET', `/api/users/${id}/tokens`, undefined, headers);

    expect(made.status).toBe(201);
    expect((list.json['tokens'] as unknown as object[]).length).toBe(2);
    expect((await send('DELETE', `/api/tokens/${made.json['id']}`, undefined, headers)).status).toBe(204);
  });

  test('finds nothing of other users, and nothing that they could change', async () => {
    const [{ headers }, other] = [await addUser(service, 'Hal'), await addUser(service, 'Ida')];

    expect((await send('POST', `/api/users/${other.id}/tokens`, { name: 'x' }, headers)).status).toBe(404);
    expect((await send('GET', `/api/users/${other.id}/tokens`, undefined, headers)).status).toBe(404);
    expect((await send('DELETE', `/api/tokens/${other.tokenId}`, undefined, headers)).status).toBe(404);
    expect(await statusOf(service, other.headers)).toBe(200);
  });

  test.each([
    ['GET', '/api/users'],
    ['POST', '/api/users'],
    ['DELETE', '/api/users/x'],
    ['GET', '/api/audit'],
  ])('is told that %s %s is for the operator', async (method, route) => {
    const { headers } = await addUser(service, 'Jon');
    const body = method === 'POST' ? { name: 'x', role: 'operator' } : undefined;

    expect(await send(method, route, body, headers)).toMatchObject({
      status: 403,
      json: { error: { type: 'permission_error', code: 'operator_only' } },
    });
  });
});

test('the audit log tells who did what, the newest first, in pages, and holds no token', async () => {
  const kim = await addUser(service, 'Kim');
  await send('POST', '/api/users/me/tokens', { name: 'hers' }, kim.headers);
  const first = await send('GET', '/api/audit?limit=2');
  const second = await send('GET', `/api/audit?limit=1&cursor=${first.json['next_cursor']}`);

  expect([first.json['entries'], second.json['entries']].flat()).toMatchObject([
    { actor: kim.id, action: 'token.create', detail: { userId: kim.id, name: 'hers' } },
    { actor: 'operator', action: 'token.create', subject: kim.tokenId },
    { actor: 'operator', action: 'user.add', subject: kim.id, detail: { name: 'Kim' } },
  ]);
  expect((await send('GET', '/api/audit?limit=100')).text).not.toContain('reborn_');
});

describe('by command, beside the running service', () => {
  const reborn = (...words: string[]) =>
    promisify(execFile)(path.resolve('bin/reborn'), words, { env: { ...BARE_ENV, ...home.env } });
  const failure = (...words: string[]) =>
    reborn(...words).then(
      () => 'it did not fail',
      (error: unknown) => (error as { stderr: string }).stderr,
    );

  test('a user is added, given a token, listed and removed', async () => {
    await reborn('user', 'add', 'Lou', '--email', 'lou@example.com');
    const { stdout: token } = await reborn(
      'token',
      'create',
      'lou@example.com',
      '--name',
      'laptop',
      '--expires',
      '30d',
    );
    const headers = { authorization: `Bearer ${token.trim()}` };
    expect(await statusOf(service, headers)).toBe(200);

    expect((await reborn('user', 'list')).stdout).toMatch(/Lou +lou@example\.com +member/);
    await reborn('user', 'limit', 'Lou', '--tokens', '200000');
    expect((await reborn('user', 'limit', 'Lou', '--usd', '2.5')).stdout).toBe(
      'Lou may spend 200000 tokens and 2.50 US dollars a day, from the next turn on.\n',
    );
    expect(JSON.parse((await reborn('user', 'limit', 'Lou', '--none', '--json')).stdout)).toMatchObject({
      tokensPerDay: null,
      usdPerDay: null,
    });
    const [listed] = JSON.parse((await reborn('token', 'list', 'Lou', '--json')).stdout);
    expect(listed).toMatchObject({ name: 'laptop' });
    await reborn('token', 'revoke', listed.id);
    await waitFor('the token to be refused', async () => (await statusOf(service, headers)) === 401);

    expect(JSON.parse((await reborn('user', 'remove', 'Lou', '--json')).stdout)).toMatchObject({ name: 'Lou' });
    expect(JSON.parse((await reborn('user', 'list', '--json')).stdout)).not.toContainEqual(
      expect.objectContaining({ name: 'Lou' }),
    );
    expect((await send('GET', '/api/audit?limit=1')).json).toMatchObject({
      entries: [{ actor: 'command-line', action: 'user.remove' }],
    });
  });

  test('a mistake is told with what to do', async () => {
    await reborn('user', 'add', 'Mia');
    await reborn('user', 'add', 'Mia');

    expect(await failure('token', 'create', 'Nobody')).toContain('reborn user list');
    expect(await failure('token', 'create', 'Mia')).toContain('Several users');
    expect(await failure('token', 'revoke', 'nonsense')).toContain('reborn token list');
    expect(await failure('user', 'add', 'X', '--email', 'nonsense')).toContain('no email address');
    expect(await failure('user', 'add', 'X', '--role', 'king')).toContain('operator, member');
    expect(await failure('user', 'limit', 'Mia', '--tokens', '1.5')).toContain('whole number');
    expect(await failure('user', 'limit', 'Mia', '--usd', '2', '--none')).toContain('cannot be used with');
  });
});
