import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import type { z } from 'zod';
import type { getMcpServer } from '#channels/gateway/mcp/mcp-routes.ts';
import { addFigures } from '../../faults/figures.ts';
import { addUser, type TestUser } from '../../support/accounts.ts';
import { BARE_ENV } from '../../support/bare-env.ts';
import type { Home } from '../../support/fresh-home.ts';
import { journey } from '../../support/journey.ts';
import { type McpOAuthServer, startMcpOAuthServer } from '../../support/mcp-oauth-server.ts';
import { browse } from '../../support/oauth-provider.ts';
import { type Service, spawnService, textOf, type WireResponse } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

type WireServer = z.infer<(typeof getMcpServer.responses)[200]['json']>;
type Chat = { thread_id: string; status: string; gate: { id: string; kind: string } };
type Answer = { state: string; code: string; iss?: string };

const READ = {
  name: 'read',
  description: 'Reads.',
  inputSchema: { type: 'object' },
  annotations: { readOnlyHint: true },
};
const WRITE = { name: 'write', description: 'Writes.', inputSchema: { type: 'object' } };

const test = journey()
  .extend('mcp', { scope: 'file' }, async ({}, { onCleanup }) => {
    const mcp = await startMcpOAuthServer({ answers: { 'tools/list': () => ({ tools: [READ, WRITE] }) } });
    onCleanup(() => mcp.close());
    return mcp;
  })
  .extend('ann', { scope: 'file' }, ({ service }) => addUser(service, 'Ann'))
  .extend('bob', { scope: 'file' }, ({ service }) => addUser(service, 'Bob'));

const send = (service: Service, method: string, route: string, body?: object, who?: TestUser) =>
  service.request(route, { method, headers: { ...who?.headers }, ...(body && { body: JSON.stringify(body) }) });

async function read<T>(answer: Promise<Response>, status = 200): Promise<T> {
  const response = await answer;
  const text = await response.text();
  expect({ status: response.status, text }).toMatchObject({ status });
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

const add = (service: Service, name: string, url: string, more: object = {}) =>
  send(service, 'POST', '/api/mcp', {
    name,
    url,
    private_network: true,
    trust_annotations: true,
    for: 'everyone',
    ...more,
  });
const get = (service: Service, name: string, who?: TestUser) =>
  read<WireServer>(send(service, 'GET', `/api/mcp/${name}`, undefined, who));
const ask = async (service: Service, input: string, who?: TestUser) =>
  textOf(await read<WireResponse>(send(service, 'POST', '/api/v1/responses', { model: 'm', input }, who)));
const chat = (service: Service, message: string, who?: TestUser) =>
  read<Chat>(send(service, 'POST', '/api/chat', { message }, who));

const begin = (service: Service, name: string, who?: TestUser, query = '') =>
  send(service, 'POST', `/api/mcp/${name}/sign-in${query}`, undefined, who);
const finish = (service: Service, answer: Answer, who?: TestUser) =>
  send(service, 'POST', '/api/mcp/sign-in/finish', answer, who);

/** Goes to the provider as a browser does, and returns what it sends back. */
async function visit(service: Service, name: string, who?: TestUser, query = ''): Promise<Answer> {
  const { url } = await read<{ url: string }>(begin(service, name, who, query));
  const { searchParams } = new URL((await browse(url)).url);
  return Object.fromEntries(searchParams) as Answer;
}

const signIn = async (service: Service, name: string, who?: TestUser, query = '') =>
  read(finish(service, await visit(service, name, who, query), who), 204);

test('from adding a server that wants a sign-in to a result in the chat', async ({
  service,
  model,
  mcp,
  ann,
  bob,
  home,
}) => {
  const added = await read<WireServer>(add(service, 'post', mcp.url), 201);
  expect(added).toMatchObject({ sign_in: 'needed', issuer: mcp.origin, tools: [], protocol: '', problem: null });

  await signIn(service, 'post', ann);
  expect(await get(service, 'post', ann)).toMatchObject({
    sign_in: 'done',
    tools: [
      { name: 'read', reviewed: true },
      { name: 'write', reviewed: true },
    ],
  });
  expect(await ask(service, 'use post__read {}', ann)).toBe('result: {}');

  // Everyone signs in for themselves: Bob's call waits for his sign-in, and then runs.
  expect(await get(service, 'post', bob)).toMatchObject({ sign_in: 'needed' });
  const waiting = await chat(service, 'use post__read {"a":1}', bob);
  expect(waiting).toMatchObject({ status: 'waiting', gate: { kind: 'auth' } });
  const calls = mcp.calls().length;
  await signIn(service, 'post', bob);
  await read(send(service, 'POST', `/api/gates/${waiting.gate.id}`, { answer: 'approve' }, bob), 202);
  await waitFor('the call', async () => mcp.calls().length === calls + 1);
  expect(new Set(mcp.requests.map(({ headers }) => headers.authorization)).size).toBe(2);

  // No one but the server sees a token.
  mcp.answers['tools/call'] = () => {
    const sent = mcp.requests.at(-1)?.headers.authorization ?? '';
    return { content: [{ type: 'text', text: `you sent ${sent.slice('Bearer '.length)}` }] };
  };
  const said = await ask(service, 'use post__read {}', ann);
  expect(said).toContain('you sent');
  const exported = await (await send(service, 'GET', '/api/me/export', undefined, ann)).text();
  expect(exported).toContain('post__read');
  expectHidden(mcp, [said, model.seen, exported, await everyRow(home)]);
  delete mcp.answers['tools/call'];
});

/** All rows of all tables: items, events, the audit log and the encrypted secrets among them. */
async function everyRow(home: Home): Promise<unknown> {
  const tables = await home.query<{ name: string }>(
    `select table_name as name from information_schema.tables
     where table_schema = current_schema and table_type = 'BASE TABLE'`,
  );
  expect(tables.length).toBeGreaterThan(20);
  return home.query(tables.map(({ name }) => `select t::text from "${name}" t`).join(' union all '));
}

function expectHidden({ hidden }: Pick<McpOAuthServer, 'hidden'>, places: unknown): void {
  expect(hidden.size).toBeGreaterThanOrEqual(2); // an access token and a refresh token
  const text = JSON.stringify(places);
  for (const token of hidden) expect(text).not.toContain(token);
}

test("all users' tokens are removed with the server, and a user's tokens with the user", async ({
  service,
  mcp,
  ann,
  home,
}) => {
  const cid = await addUser(service, 'Cid');
  await read(add(service, 'left', mcp.url), 201);
  for (const who of [ann, cid]) await signIn(service, 'left', who);
  const [left] = await home.query<{ id: string }>(`select id from mcp_servers where name = 'left'`);
  const count = async (owner: string) => {
    const rows = await home.query<{ count: number }>(
      `select count(*)::int from secrets where user_id like $1 and name like $2`,
      [owner, `mcp.${left?.id}.%`],
    );
    return rows[0]?.count;
  };
  expect(await count(ann.id)).toBeGreaterThanOrEqual(2);
  expect(await count(cid.id)).toBeGreaterThanOrEqual(2);

  await read(send(service, 'POST', `/api/users/${cid.id}/erase`), 200);
  expect(await count(cid.id)).toBe(0);
  expect(await count(ann.id)).toBeGreaterThanOrEqual(2);
  expect(await get(service, 'left', ann)).toMatchObject({ sign_in: 'done' });
  await read(send(service, 'DELETE', '/api/mcp/left?for=everyone'), 204);
  expect(await count('%')).toBe(0);
});

test('a revoked sign-in: the call waits for another one, with the approval that it had', async ({
  service,
  mcp,
  ann,
}) => {
  const approval = await chat(service, 'use post__write {"n":1}', ann);
  expect(approval).toMatchObject({ gate: { kind: 'approval' } });
  const sent = await tokenOf(mcp, () => ask(service, 'use post__read {}', ann));
  await mcp.revoke(sent, { grant: true });
  const calls = mcp.calls().length;
  const answered = await read<{ response_id: string }>(
    send(service, 'POST', `/api/gates/${approval.gate.id}`, { answer: 'approve' }, ann),
    202,
  );
  const waiting = await waitFor('the gate', async () => {
    const { gates } = await read<{ gates: Chat['gate'][] }>(send(service, 'GET', '/api/gates', undefined, ann));
    return gates.find(({ kind }) => kind === 'auth');
  });
  expect(mcp.calls()).toHaveLength(calls);
  expect(await get(service, 'post', ann)).toMatchObject({ sign_in: 'needed' });
  expect((await service.get(answered.response_id)).status).not.toBe('completed');

  await signIn(service, 'post', ann);
  await read(send(service, 'POST', `/api/gates/${waiting.id}`, { answer: 'approve' }, ann), 202);
  await waitFor('the call', async () => mcp.calls().length === calls + 1);
  expect(mcp.calls().at(-1)?.params).toMatchObject({ name: 'write', arguments: { n: 1 } });
});

test('a token that ends early is renewed, and a server that refuses every token is asked twice', async ({
  service,
  mcp,
  ann,
}) => {
  const before = { ...mcp.counts };
  await mcp.revoke(await tokenOf(mcp, () => ask(service, 'use post__read {}', ann)), { grant: false });
  expect(await ask(service, 'use post__read {}', ann)).toBe('result: {}');
  expect(mcp.counts).toMatchObject({ refreshed: before.refreshed + 1, signedIn: before.signedIn });

  mcp.state.closed = true;
  expect(await ask(service, 'use post__read {}', ann)).toContain('refused');
  expect(mcp.counts.refreshed).toBe(before.refreshed + 2);
  expect(mcp.counts.refused).toBeLessThanOrEqual(before.refused + 6);
  mcp.state.closed = false;
  expect(await ask(service, 'use post__read {}', ann)).toBe('result: {}');
});

test('a sign-in counts once, for the person who started it, and only with the answer of the same server', async ({
  service,
  mcp,
  ann,
  bob,
}) => {
  await read(add(service, 'own', mcp.url), 201);
  const before = mcp.counts.signedIn;
  const refused = async (answer: Answer, who: TestUser) =>
    expect(await read<object>(finish(service, answer, who), 400)).toMatchObject({
      error: { message: expect.stringMatching(/Start it again|started elsewhere|refused/) },
    });

  // Another user's callback: neither is signed in, and Ann's sign-in is not used up.
  const answer = await visit(service, 'own', ann);
  await refused(answer, bob);
  await refused({ ...answer, state: `${answer.state}x` }, ann);
  await refused({ ...answer, state: answer.state.replace(':me.', ':everyone.') }, ann).catch(() => {});
  expect(mcp.counts.signedIn).toBe(before);
  expect(await get(service, 'own', bob)).toMatchObject({ sign_in: 'needed' });
  await read(finish(service, answer, ann), 204);
  await refused(answer, ann); // replay

  // No one but an operator signs in for another user, and the answer goes to the app or to the browser's own machine.
  await read(begin(service, 'own', bob, `?for=${ann.id}`), 403);
  for (const elsewhere of ['https://thief.example/callback', 'http://127.0.0.1:80@thief.example/callback'])
    await read(begin(service, 'own', bob, `?redirect_uri=${encodeURIComponent(elsewhere)}`), 400);

  // A code of Ann's that Bob hands in as his own was made for another verifier.
  const [hers, his] = [await visit(service, 'own', ann), await visit(service, 'own', bob)];
  await refused({ ...his, code: hers.code }, bob);
  expect(await get(service, 'own', bob)).toMatchObject({ sign_in: 'needed' });

  // Mix-up: an answer of another authorization server, or of one that does not say which it is.
  const signedIn = mcp.counts.signedIn;
  await refused({ ...(await visit(service, 'own', bob)), iss: 'https://evil.example.com' }, bob);
  const { state, code } = await visit(service, 'own', bob);
  await refused({ state, code }, bob);
  expect(mcp.counts.signedIn).toBe(signedIn);

  // Only operators sign in for everyone.
  expect((await begin(service, 'own', bob, '?for=everyone')).status).toBe(403);
  expect((await begin(service, 'unknown', bob)).status).toBe(404);
  await refused({ state: 'mcp:none:me.x', code: 'c' }, bob);

  // Confused deputy: a token belongs to the server that it was made for, not to its name.
  await read(send(service, 'DELETE', '/api/mcp/own?for=everyone'), 204);
  await read(add(service, 'own', mcp.url), 201);
  expect(await get(service, 'own', ann)).toMatchObject({ sign_in: 'needed' });
  await read(send(service, 'DELETE', '/api/mcp/own?for=everyone'), 204);
});

test('metadata that points inward, elsewhere or to another server is refused before a browser is sent there', async ({
  service,
  mcp,
  home,
}) => {
  const tried = async (state: Partial<typeof mcp.state>, message: string) => {
    await home.query('delete from rate_windows');
    Object.assign(mcp.state, state);
    const added = await add(service, 'bad', mcp.url);
    const answer = added.status === 201 ? await begin(service, 'bad') : added;
    const refused = await read<{ error: { message: string } }>(Promise.resolve(answer), 400);
    expect({ state, message: refused.error.message }).toMatchObject({ message: expect.stringContaining(message) });
    if (added.status === 201) await read(send(service, 'DELETE', '/api/mcp/bad?for=everyone'), 204);
    Object.assign(mcp.state, { resource: {}, issuer: {}, challenge: undefined });
  };
  await tried({ challenge: 'Bearer resource_metadata="http://169.254.169.254/latest/meta-data"' }, 'https');
  await tried({ challenge: 'Bearer resource_metadata="https://10.0.0.7/"' }, 'IP address');
  await tried({ challenge: 'Bearer resource_metadata="file:///etc/passwd"' }, 'https');
  await tried({ resource: { resource: 'https://mcp.example.com/mcp' } }, 'another address');
  await tried({ resource: { resource: `${mcp.origin}/mc` } }, 'another address');
  await tried({ resource: { authorization_servers: ['https://[::1]/'] } }, 'IP address');
  await tried({ resource: { authorization_servers: ['http://localhost:9200'] } }, 'https');
  await tried({ resource: { authorization_servers: ['not an address'] } }, 'address');
  await tried({ issuer: { issuer: 'https://evil.example.com' } }, 'another one');
  await tried({ issuer: { code_challenge_methods_supported: ['plain'] } }, 'PKCE');
  await tried({ issuer: { code_challenge_methods_supported: undefined } }, 'PKCE');
  await tried({ issuer: { authorization_endpoint: 'javascript:alert(1)' } }, 'https');
  await tried({ issuer: { authorization_endpoint: 'http://evil.example.com/auth' } }, 'https');
  await tried({ issuer: { token_endpoint: 'http://169.254.169.254/token' } }, 'https');
  await tried({ issuer: { registration_endpoint: 'https://10.0.0.7/reg' } }, 'IP address');
  await tried({ issuer: { registration_endpoint: undefined } }, 'Register one there');
  await tried({ resource: { scopes_supported: ['x'.repeat(200_000)] } }, 'bytes');

  // Redirects are not followed.
  mcp.state.challenge = `Bearer resource_metadata="${mcp.origin}/redirect"`;
  await read(add(service, 'moved', mcp.url), 201);
  expect(mcp.elsewhere).toEqual([]);

  await read(send(service, 'DELETE', '/api/mcp/moved?for=everyone'), 204);
  mcp.state.challenge = undefined;

  // A server that names another authorization server later can't make anyone go there.
  await read(add(service, 'moved', mcp.url), 201);
  mcp.state.resource = { authorization_servers: [`${mcp.origin}/other`] };
  const changed = await read<{ error: { message: string } }>(begin(service, 'moved'), 400);
  expect(changed.error.message).toContain('another authorization server');
  mcp.state.resource = {};
  await read(send(service, 'DELETE', '/api/mcp/moved?for=everyone'), 204);

  // A token endpoint inside: the code is not sent there.
  mcp.state.issuer = { token_endpoint: 'https://10.0.0.7/token' };
  await read(add(service, 'inside', mcp.url), 201);
  const answer = await visit(service, 'inside');
  expect(await read<object>(finish(service, answer), 400)).toMatchObject({
    error: { message: expect.stringContaining('IP address') },
  });
  mcp.state.issuer = {};

  // A key that is wrong is not a reason to sign in.
  const headers = { Authorization: 'Bearer wrong-key-1234' };
  await read(add(service, 'keyed', mcp.url, { headers }), 400);
});

/** The access token that `act` sends. */
async function tokenOf(mcp: Pick<McpOAuthServer, 'requests'>, act: () => Promise<unknown>) {
  await act();
  return (mcp.requests.at(-1)?.headers.authorization ?? '').slice('Bearer '.length);
}

test('the command signs in by a browser on the same machine', async ({ service, mcp, home }) => {
  await read(add(service, 'typed', mcp.url), 201);
  const child = spawn(path.resolve('bin/reborn'), ['mcp', 'signin', 'typed'], {
    env: { ...BARE_ENV, ...home.env, ...service.remote },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += String(data)));
  const url = await waitFor('the address', async () => /^ {2}(http\S+)$/m.exec(output)?.[1]);
  expect((await browse(url)).text).toContain('Signed in');
  const [code] = (await once(child, 'close')) as number[];
  expect([code, output]).toEqual([0, expect.stringContaining('typed has 2 tools.')]);
  expect(await ask(service, 'use typed__read {}')).toBe('result: {}');
});

/** Of the test below: how long a token lives, after how much of everything it ends, and the pause between rounds of calls. */
const FORMS = {
  short: { tokenSeconds: 4, refreshes: 3, calls: 12, seconds: 0, pauseMs: 0 },
  middle: { tokenSeconds: 60, refreshes: 4, calls: 100, seconds: 0, pauseMs: 10_000 },
  long: { tokenSeconds: 60, refreshes: 40, calls: 1000, seconds: 3600, pauseMs: 25_000 },
};
const ENDURANCE = process.env['ENDURANCE'];
const FORM = ENDURANCE === undefined ? FORMS.short : ENDURANCE === 'middle' ? FORMS.middle : FORMS.long;

/** A replica is killed in every sixth round, and another one takes its place. */
const KILL_EVERY = 6;

test('short tokens, many calls, three replicas and kill -9: one refresh for each token, and one sign-in', {
  timeout: ENDURANCE === undefined ? 120_000 : 90 * 60_000,
}, async ({ service, startAnother, env, home, model }) => {
  const { tokenSeconds, refreshes, calls, seconds, pauseMs } = FORM;
  const brief = await startMcpOAuthServer({ tokenSeconds, answers: { 'tools/list': () => ({ tools: [READ] }) } });
  const started = Date.now();
  const counts = { made: 0, killed: 0, sinceKill: 0, unavailable: 0 };
  const debugged = { ...env, LOG_LEVEL: 'debug' };
  try {
    await read(add(service, 'brief', brief.url), 201);
    await signIn(service, 'brief', undefined, '?for=everyone');
    const second = await startAnother();
    let victim = await spawnService(debugged);
    const logs: string[] = [];
    /** As a client does, it sends a message again that was refused with 503. */
    const call = async (at: Pick<Service, 'ask'>): Promise<string> => {
      for (;;) {
        const said = await at.ask('use brief__read {}').then(textOf, (error: unknown) => String(error));
        if (!said.startsWith('Error: 503')) return said;
        counts.unavailable++;
        await delay(1000);
      }
    };
    const isOver = () => Date.now() - started >= seconds * 1000;
    const start = brief.counts.refreshed;
    const refreshed = () => brief.counts.refreshed - start;
    // The victim dies while its calls are under way, after it has taken part in a refresh.
    while (counts.killed === 0 || refreshed() < refreshes || counts.made < calls || !isOver()) {
      await home.query('delete from rate_windows');
      const dies = refreshed() > 0 && (counts.killed === 0 || ++counts.sinceKill === KILL_EVERY);
      const dying = dies ? [call(victim), call(victim)].map((each) => each.catch(() => 'died')) : [];
      const living = dies ? [service, second] : [service, second, victim];
      const said = living.flatMap((at) => [call(at), call(at), call(at), call(at)]);
      if (dies) {
        await victim.kill();
        counts.killed++;
        counts.sinceKill = 0;
        logs.push(victim.output());
        victim = await spawnService(debugged);
      }
      expect(new Set(await Promise.all(said))).toEqual(new Set(['result: {}']));
      await Promise.all(dying);
      counts.made += said.length + dying.length;
      await delay(pauseMs);
    }
    logs.push(victim.output());
    await victim.kill();
    expect(brief.counts).toMatchObject({ signedIn: 1, reused: 0 });
    expect(brief.tokens.size).toBeLessThanOrEqual(brief.counts.refreshed + 1);
    // On a busy machine a token can expire between the look at its expiry and the server. The call is then sent again.
    expect(brief.wronglySent).toEqual([]);
    expectHidden(brief, [model.seen, logs, await everyRow(home)]);
    await second.close();
    const minutes = ((Date.now() - started) / 60_000).toFixed(1);
    await addFigures(
      `MCP calls with tokens of ${tokenSeconds} s, three replicas, kill -9 ${counts.killed} times`,
      counts.made,
      `${minutes} minutes: ${refreshed()} refreshes of ${brief.tokens.size} tokens, 1 sign-in, ${brief.counts.refused} requests sent again, ${counts.unavailable} messages refused with 503, no token seen`,
    );
  } finally {
    brief.close();
  }
});
