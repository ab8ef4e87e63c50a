import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect } from 'vitest';
import { addUser } from '../../support/accounts.ts';
import { BARE_ENV } from '../../support/bare-env.ts';
import { compiledProgram } from '../../support/compiled-program.ts';
import { journey } from '../../support/journey.ts';
import type { Service } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

const test = journey().extend('replica', { scope: 'file' }, ({ startAnother }) => startAnother());

type Sent = { status: number; json: Record<string, never> & { [key: string]: unknown }; text: string };

async function send(
  service: Service,
  method: string,
  route: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Sent> {
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
  test('the operator adds a user, finds them in the list, and removes them', async ({ service }) => {
    const added = await send(service, 'POST', '/api/users', {
      name: ' Ann ',
      email: 'Ann@Example.com',
      role: 'member',
    });

    expect(added).toMatchObject({ status: 201, json: { name: 'Ann', email: 'ann@example.com', role: 'member' } });
    expect((await send(service, 'GET', '/api/users')).json).toMatchObject({ users: [added.json], next_cursor: null });

    expect((await send(service, 'DELETE', `/api/users/${added.json['id']}`)).status).toBe(204);
    expect((await send(service, 'DELETE', `/api/users/${added.json['id']}`)).status).toBe(404);
    expect((await send(service, 'GET', '/api/users')).json).toMatchObject({ users: [] });
  });

  test('an email belongs to one user at a time, regardless of case', async ({ service }) => {
    const first = await send(service, 'POST', '/api/users', { name: 'Bob', email: 'bob@example.com', role: 'member' });
    const again = { name: 'Bob', email: 'BOB@example.com', role: 'operator' };

    expect(await send(service, 'POST', '/api/users', again)).toMatchObject({
      status: 409,
      json: { error: { type: 'conflict_error', code: 'already_exists' } },
    });
    await send(service, 'DELETE', `/api/users/${first.json['id']}`);
    expect((await send(service, 'POST', '/api/users', again)).status).toBe(201);
  });

  test('the list comes in pages', async ({ service }) => {
    for (const name of ['p1', 'p2', 'p3']) await send(service, 'POST', '/api/users', { name, role: 'member' });
    const all = (await send(service, 'GET', '/api/users')).json['users'] as unknown as { id: string }[];
    const seen: { id: string }[] = [];
    let cursor = '';
    for (;;) {
      const { json } = await send(service, 'GET', `/api/users?limit=2${cursor && `&cursor=${cursor}`}`);
      seen.push(...(json['users'] as unknown as { id: string }[]));
      if (json['next_cursor'] === null) break;
      cursor = String(json['next_cursor']);
    }

    expect(seen).toEqual(all);
  });

  test('a search finds parts of names and email addresses, in any case and in pages', async ({ service }) => {
    const find = async (query: string) => {
      const { json } = await send(service, 'GET', `/api/users?${query}`);
      return {
        names: (json['users'] as unknown as { name: string }[]).map(({ name }) => name),
        next: json['next_cursor'],
      };
    };
    for (const [name, email] of [
      ['Åse 100%', 'aase@fjord.example'],
      ['Kari', 'kari@fjord.example'],
    ])
      await send(service, 'POST', '/api/users', { name, email, role: 'member' });

    expect((await find('q=%C3%85SE')).names).toEqual(['Åse 100%']);
    expect((await find('q=%25')).names).toEqual(['Åse 100%']);
    expect((await find('q=nobody')).names).toEqual([]);
    const first = await find('q=FJORD&limit=1');
    const second = await find(`q=FJORD&limit=1&cursor=${String(first.next)}`);
    expect([...first.names, ...second.names]).toEqual(['Åse 100%', 'Kari']);
  });

  test.for<[object, string]>([
    [{ role: 'member' }, 'name'],
    [{ name: '  ', role: 'member' }, 'name'],
    [{ name: 'x'.repeat(201), role: 'member' }, 'name'],
    [{ name: 'x' }, 'role'],
    [{ name: 'x', role: 'admin' }, 'role'],
    [{ name: 'x', role: 'member', email: 'nonsense' }, 'email'],
  ])('%j is refused, and the field is named', async ([body, param], { service }) => {
    expect(await send(service, 'POST', '/api/users', body)).toMatchObject({ status: 400, json: { error: { param } } });
  });

  test.for(['limit=0', 'limit=101', 'limit=x', 'cursor=%27;', `q=${'x'.repeat(321)}`])(
    'GET /api/users?%s is 400',
    async (query, { service }) => {
      expect((await send(service, 'GET', `/api/users?${query}`)).status).toBe(400);
    },
  );

  test('a user with the role operator has an operator’s rights and separate threads', async ({ service }) => {
    const boss = await addUser(service, 'boss', 'operator');
    const answer = await service.ask('hello');

    expect((await send(service, 'GET', '/api/users', undefined, boss.headers)).status).toBe(200);
    expect((await send(service, 'GET', `/api/v1/responses/${answer.id}`, undefined, boss.headers)).status).toBe(404);
  });
});

const setLimits = (service: Service, id: string, limits: object) =>
  send(service, 'PUT', `/api/users/${id}/limits`, limits);
const limitsOf = async (service: Service, id: string) => {
  const { users } = (await send(service, 'GET', '/api/users?limit=100')).json as unknown as {
    users: { id: string; limits: object }[];
  };
  return users.find((user) => user.id === id)?.limits;
};

describe('limits on spending', () => {
  test('the operator sets limits, sees them in the list and the audit log, and removes them', async ({
    service,
    home,
  }) => {
    const { id } = await addUser(service, 'Ned');
    expect(await limitsOf(service, id)).toEqual({ tokens_per_day: null, usd_per_day: null });

    const limits = { tokens_per_day: 9_000_000_000, usd_per_day: 2.5 };
    expect(await setLimits(service, id, limits)).toMatchObject({ status: 200, json: limits });
    expect(await limitsOf(service, id)).toEqual(limits);
    expect((await send(service, 'GET', '/api/audit?limit=1')).json['entries']).toMatchObject([
      { actor: 'operator', action: 'user.limit', subject: id, detail: { tokensPerDay: 9_000_000_000, usdPerDay: 2.5 } },
    ]);

    expect((await setLimits(service, id, { tokens_per_day: null, usd_per_day: null })).status).toBe(200);
    expect(await home.query('select from budgets where user_id = $1', [id])).toEqual([]);
  });

  test.for<[object, string]>([
    [{ tokens_per_day: -1, usd_per_day: null }, 'tokens_per_day'],
    [{ tokens_per_day: 1.5, usd_per_day: null }, 'tokens_per_day'],
    [{ tokens_per_day: 2 ** 60, usd_per_day: null }, 'tokens_per_day'],
    [{ tokens_per_day: 1, usd_per_day: '2' }, 'usd_per_day'],
    [{ tokens_per_day: 1, usd_per_day: 1e300 }, 'usd_per_day'],
    [{ tokens_per_day: 1 }, 'usd_per_day'],
  ])('%j is refused, and the field is named', async ([body, param], { service }) => {
    expect(await setLimits(service, 'operator', body)).toMatchObject({ status: 400, json: { error: { param } } });
  });

  test('a webhook user can be limited, and an unknown user gets 404', async ({ service }) => {
    const limits = { tokens_per_day: 5, usd_per_day: null };
    expect((await setLimits(service, 'webhook:zoe', limits)).status).toBe(200);
    expect((await setLimits(service, 'nobody', limits)).status).toBe(404);
  });
});

describe('tokens', () => {
  test('a token authenticates its user, is shown once, and its use is recorded', async ({ service }) => {
    const { id, token, headers } = await addUser(service, 'Cat');
    const list = async () => (await send(service, 'GET', `/api/users/${id}/tokens`)).text;

    expect(token).toMatch(/^reborn_[\w-]{43}$/);
    expect(await list()).not.toContain(token);
    expect(await list()).toContain('"last_used_at":null');
    expect(await statusOf(service, headers)).toBe(200);
    await waitFor('the use to be recorded', async () => !(await list()).includes('"last_used_at":null'));
  });

  test('a token expires', async ({ service }) => {
    const { id } = await addUser(service, 'Dan');
    const expiry = new Date(Date.now() + 2000).toISOString();
    const made = await send(service, 'POST', `/api/users/${id}/tokens`, { name: 'brief', expires_at: expiry });
    const headers = { authorization: `Bearer ${made.json['token']}` };

    expect(made.json['expires_at']).toBe(expiry);
    const early = await statusOf(service, headers);
    expect(early === 200 || Date.now() >= Date.parse(expiry)).toBe(true); // a very busy machine may be late
    await waitFor('the token to end', async () => (await statusOf(service, headers)) === 401);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiry));
  });

  test.for<[object, string]>([
    [{ name: '' }, 'name'],
    [{ name: 'x', expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
    [{ name: 'x', expires_at: 'tomorrow' }, 'expires_at'],
    [{ name: 'x', expires_at: 5 }, 'expires_at'],
  ])('%j is refused, and the field is named', async ([body, param], { service }) => {
    const answer = await send(service, 'POST', '/api/users/me/tokens', body);
    expect(answer).toMatchObject({ status: 400, json: { error: { param } } });
  });

  test('a token for an unknown user, or for the operator of the static tokens, is 404', async ({ service }) => {
    for (const id of ['nobody', 'operator', 'me', '00000000-0000-4000-8000-000000000000'])
      expect((await send(service, 'POST', `/api/users/${id}/tokens`, { name: 'x' })).status).toBe(404);
  });

  test('a revoked token is refused here at once, and on another replica within 5 s', async ({ service, replica }) => {
    const { headers, tokenId } = await addUser(service, 'Eve');
    expect([await statusOf(service, headers), await statusOf(replica, headers)]).toEqual([200, 200]);

    expect((await send(service, 'DELETE', `/api/tokens/${tokenId}`)).status).toBe(204);
    const revoked = performance.now();
    expect(await statusOf(service, headers)).toBe(401);
    await waitFor('the replica to refuse it', async () => (await statusOf(replica, headers)) === 401);
    expect(performance.now() - revoked).toBeLessThan(5000);
    expect((await send(service, 'DELETE', `/api/tokens/${tokenId}`)).status).toBe(404);
  });

  test('the tokens of a removed user are soon refused on every replica', async ({ service, replica }) => {
    const { id, headers } = await addUser(service, 'Fay');
    expect(await statusOf(replica, headers)).toBe(200);

    await send(service, 'DELETE', `/api/users/${id}`);
    expect(await statusOf(service, headers)).toBe(401);
    await waitFor('the replica to refuse it', async () => (await statusOf(replica, headers)) === 401);
    expect((await send(service, 'POST', `/api/users/${id}/tokens`, { name: 'x' })).status).toBe(404);
  });
});

describe('a member', () => {
  test('creates, lists and revokes their own tokens, by id or as me', async ({ service }) => {
    const { id, headers } = await addUser(service, 'Gil');
    const made = await send(service, 'POST', '/api/users/me/tokens', { name: 'mine' }, headers);
    const list = await send(service, 'GET', `/api/users/${id}/tokens`, undefined, headers);

    expect(made.status).toBe(201);
    expect((list.json['tokens'] as unknown as object[]).length).toBe(2);
    expect((await send(service, 'DELETE', `/api/tokens/${made.json['id']}`, undefined, headers)).status).toBe(204);
  });

  test('sees and changes nothing of other users', async ({ service }) => {
    const [{ headers }, other] = [await addUser(service, 'Hal'), await addUser(service, 'Ida')];

    expect((await send(service, 'POST', `/api/users/${other.id}/tokens`, { name: 'x' }, headers)).status).toBe(404);
    expect((await send(service, 'GET', `/api/users/${other.id}/tokens`, undefined, headers)).status).toBe(404);
    expect((await send(service, 'DELETE', `/api/tokens/${other.tokenId}`, undefined, headers)).status).toBe(404);
    expect(await statusOf(service, other.headers)).toBe(200);
  });

  test.for([
    ['GET', '/api/users'],
    ['POST', '/api/users'],
    ['DELETE', '/api/users/x'],
    ['GET', '/api/audit'],
  ] as const)('gets 403 for %s %s', async ([method, route], { service }) => {
    const { headers } = await addUser(service, 'Jon');
    const body = method === 'POST' ? { name: 'x', role: 'operator' } : undefined;

    expect(await send(service, method, route, body, headers)).toMatchObject({
      status: 403,
      json: { error: { type: 'permission_error', code: 'operator_only' } },
    });
  });
});

test('the audit log shows who did what, newest first, in pages, without tokens', async ({ service }) => {
  const kim = await addUser(service, 'Kim');
  await send(service, 'POST', '/api/users/me/tokens', { name: 'hers' }, kim.headers);
  const first = await send(service, 'GET', '/api/audit?limit=2');
  const second = await send(service, 'GET', `/api/audit?limit=1&cursor=${first.json['next_cursor']}`);

  expect([first.json['entries'], second.json['entries']].flat()).toMatchObject([
    { actor: kim.id, action: 'token.create', detail: { userId: kim.id, name: 'hers' } },
    { actor: 'operator', action: 'token.create', subject: kim.tokenId },
    { actor: 'operator', action: 'user.add', subject: kim.id, detail: { name: 'Kim' } },
  ]);
  expect((await send(service, 'GET', '/api/audit?limit=100')).text).not.toContain('reborn_');
});

const reborn = async ({ remote }: Pick<Service, 'remote'>, ...words: string[]) => {
  const [node, program] = await compiledProgram();
  return promisify(execFile)(node, [program, ...words], { env: { ...BARE_ENV, ...remote } });
};
const failure = (service: Pick<Service, 'remote'>, ...words: string[]) =>
  reborn(service, ...words).then(
    () => 'it did not fail',
    (error: unknown) => (error as { stderr: string }).stderr,
  );

describe('by command, beside the running service', () => {
  test('a user is added, given a token, listed and removed', async ({ service }) => {
    await reborn(service, 'user', 'add', 'Lou', '--email', 'lou@example.com');
    const { stdout: token } = await reborn(
      service,
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

    expect((await reborn(service, 'user', 'list')).stdout).toMatch(/Lou +lou@example\.com +member/);
    await reborn(service, 'user', 'limit', 'Lou', '--tokens', '200000');
    expect((await reborn(service, 'user', 'limit', 'Lou', '--usd', '2.5')).stdout).toBe(
      'Lou may spend 200000 tokens and 2.50 US dollars a day, from the next turn on.\n',
    );
    expect(JSON.parse((await reborn(service, 'user', 'limit', 'Lou', '--none', '--json')).stdout)).toMatchObject({
      tokens_per_day: null,
      usd_per_day: null,
    });
    const [listed] = JSON.parse((await reborn(service, 'token', 'list', 'Lou', '--json')).stdout);
    expect(listed).toMatchObject({ name: 'laptop' });
    await reborn(service, 'token', 'revoke', listed.id);
    await waitFor('the token to be refused', async () => (await statusOf(service, headers)) === 401);

    expect(JSON.parse((await reborn(service, 'user', 'remove', 'Lou', '--json')).stdout)).toMatchObject({
      name: 'Lou',
    });
    expect(JSON.parse((await reborn(service, 'user', 'list', '--json')).stdout)).not.toContainEqual(
      expect.objectContaining({ name: 'Lou' }),
    );
    expect((await send(service, 'GET', '/api/audit?limit=1')).json).toMatchObject({
      entries: [{ actor: 'operator', action: 'user.remove' }],
    });
  });

  test('a mistake is reported with what to do', async ({ service }) => {
    await reborn(service, 'user', 'add', 'Mia');

    expect(await failure(service, 'token', 'create', 'Nobody')).toContain('reborn user list');
    expect(await failure(service, 'user', 'add', 'MIA')).toContain('A user called MIA already exists');
    expect(await failure(service, 'token', 'revoke', 'nonsense')).toContain('reborn token list');
    expect(await failure(service, 'user', 'add', 'X', '--email', 'nonsense')).toContain(
      'email must be an email address',
    );
    expect(await failure(service, 'user', 'add', 'X', '--role', 'king')).toContain('operator, member');
    expect(await failure(service, 'user', 'limit', 'Mia', '--tokens', '1.5')).toContain('whole number');
    expect(await failure(service, 'user', 'limit', 'Mia', '--usd', '2', '--none')).toContain('cannot be used with');
  });
});
