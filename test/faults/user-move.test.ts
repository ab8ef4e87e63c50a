import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MoveStep } from '#cells/move-user.ts';
import { addUser, type TestUser } from '../support/accounts.ts';
import { BARE_ENV } from '../support/bare-env.ts';
import { openBrowser } from '../support/browser.ts';
import { answeredBy, NGINX, type RunningCell, startCell, startRouter } from '../support/cells.ts';
import { type IdentityProvider, startIdentityProvider } from '../support/identity-provider.ts';
import { randomMoment } from '../support/random-moment.ts';
import { runReborn } from '../support/run-reborn.ts';
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts';
import { clientOf, warningsOf } from '../support/service.ts';
import { openSocket } from '../support/socket.ts';
import { waitFor } from '../support/wait-for.ts';
import { streamTurn } from './streamed.ts';

describe.runIf(existsSync(NGINX))('a user who moves to another cell', { timeout: 120_000 }, () => {
  const undo = new AsyncDisposableStack();
  let model: ScriptedModel;
  let here: RunningCell;
  let there: RunningCell;
  let router: Awaited<ReturnType<typeof startRouter>>;
  let idp: IdentityProvider;

  beforeAll(async () => {
    model = await startScriptedModel();
    undo.defer(() => model.close());
    idp = await startIdentityProvider({ people: [{ sub: 'eva', name: 'Eva' }] });
    undo.defer(() => idp.close());
    here = await startCell(1, model, idp.env);
    undo.defer(() => here.remove());
    there = await startCell(2, model, idp.env);
    undo.defer(() => there.remove());
    router = await startRouter([here, there]);
    undo.defer(() => router.close());
  }, 120_000);
  afterAll(() => undo.disposeAsync());

  const placeOf = ({ env, home }: RunningCell): string => ('DATABASE_URL' in env ? env.DATABASE_URL : home.home);
  const move = (user: string) => runReborn(['user', 'move', user, '--to', placeOf(there)], { env: here.env });

  /** The API as this user, through the router. */
  function clientAs(user: TestUser) {
    const { request } = clientOf(router.url);
    const send: typeof request = (route, init) =>
      request(route, { ...init, headers: { ...user.headers, ...init?.headers } });
    const post = (body: object) =>
      send('/api/v1/responses', { method: 'POST', body: JSON.stringify({ model: 'm', ...body }) });
    return { ...clientOf(router.url), request: send, post };
  }

  /** Sends a message until it is accepted, as clients do. Returns its thread. */
  async function say(user: TestUser, key: string, body: object): Promise<string> {
    const init = { method: 'POST', headers: { 'idempotency-key': key }, body: JSON.stringify(body) };
    return waitFor('the message to be accepted', async () => {
      const response = await clientAs(user).request('/api/chat/send', init);
      if (response.ok) return ((await response.json()) as { thread_id: string }).thread_id;
      if (response.status !== 503)
        throw new Error(`${await response.text()}\n${warningsOf(here)}\n${warningsOf(there)}`);
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      return undefined;
    });
  }

  type Turns = { status: string; opening: string }[];
  const turnsOf = (cell: RunningCell, { id }: TestUser) =>
    cell.home.query<Turns[number]>(
      `select status, (select body->'content'->0->>'text' from items where items.turn_id = turns.id order by position limit 1) as opening
       from turns where user_id = $1 order by thread_id, seq`,
      [id],
    );

  const ended = (user: TestUser, count: number) =>
    waitFor(
      `${count} turns to end`,
      async () => {
        const turns = await turnsOf(there, user);
        return turns.length === count && turns.every(({ status }) => status === 'completed') ? turns : undefined;
      },
      60_000,
    );

  /** What the model said in a thread, read through the router. */
  async function saidIn(user: TestUser, thread: string): Promise<string[]> {
    const response = await clientAs(user).request(`/api/threads/${thread}/items?limit=50`);
    const { items } = (await response.json()) as {
      items: { role?: string; status?: string; content?: { text: string }[] }[];
    };
    return items
      .filter(({ role, status }) => role === 'assistant' && status === 'completed')
      .map(({ content = [] }) => content.map(({ text }) => text).join(''))
      .toSorted();
  }

  test('loses nothing while talking: a stream continues, messages are answered once, and files can be read', async () => {
    const [ann, ben] = [await addUser(here, 'Ann'), await addUser(here, 'Ben')];
    const shared = await say(ann, 'shared', { message: 'say public' });
    await waitFor('the answer', async () => (await saidIn(ann, shared)).length === 1);
    const costs = `/api/threads/${shared}/files/costs.csv`;
    for (const body of ['a,b\n', 'a,b\n1,2\n'])
      await clientAs(ann).request(costs, { method: 'PUT', body, headers: { 'content-type': 'text/csv' } });
    const put = await clientAs(ann).request(`/api/threads/${shared}/share`, { method: 'PUT', body: '{}' });
    const { pathname } = new URL(((await put.json()) as { url: string }).url);
    const login = await clientAs(ann).request('/login', {
      method: 'POST',
      headers: { origin: router.url, authorization: '' },
      body: JSON.stringify({ token: ann.token }),
    });
    const session = {
      cookie: login.headers.get('set-cookie')?.split(';')[0] ?? '',
      'x-session-key': ((await login.json()) as { session_key: string }).session_key,
    };

    const socket = await openSocket(router.url, ann.headers);
    const long = streamTurn(() => clientAs(ann), { input: 'count 40 every 100' });
    const other = streamTurn(() => clientAs(ben), { input: 'count 40 every 100' });
    const thread = await say(ann, 'q0', { message: 'count 30 every 100' });
    for (const number of [1, 2, 3])
      await say(ann, `q${number}`, { thread_id: thread, message: `say queued ${number}`, when_busy: 'queue' });
    await waitFor('the model to answer', async () => model.seen.length >= 4);
    const moving = move('Ann');
    const sent: string[] = [];
    for (let number = 0, done = false; !done; number++) {
      sent.push(await say(ann, `n${number}`, { message: `say new ${number}` }));
      done = await Promise.race([moving.then(() => true), randomMoment(200).then(() => false)]);
    }
    const { code, stderr, stdout } = await moving;

    expect([code, stderr.includes('Nothing is left here.'), stdout]).toEqual([
      0,
      true,
      expect.stringContaining('Moved Ann to cell 2'),
    ]);
    const followed = await long;
    expect(followed?.status).toBe('completed');
    // A message that the move cut off may have been read a little further than it was stored.
    const messages = [...(followed?.messages.values() ?? [])];
    expect(messages.at(-1)?.deltas).toBe(messages.at(-1)?.done);
    for (const { deltas, done } of messages) expect(deltas.startsWith(done ?? '-')).toBe(true);
    expect((await other)?.status).toBe('completed');
    expect((await socket.closed()).code).toBe(1012);

    const turns = await ended(ann, 1 + 1 + 4 + sent.length);
    expect(new Set(turns.map(({ opening }) => opening)).size).toBe(turns.length);
    expect(await saidIn(ann, thread)).toEqual([numbers(30), 'queued 1', 'queued 2', 'queued 3']);
    for (const [number, id] of sent.entries()) expect(await saidIn(ann, id)).toEqual([`new ${number}`]);

    expect(await (await clientAs(ann).request(costs)).text()).toBe('a,b\n1,2\n');
    expect(await (await clientAs(ann).request(`${costs}?version=1`)).text()).toBe('a,b\n');
    const me = await clientAs(ann).request('/api/me');
    expect([me.status, answeredBy(me)]).toEqual([200, 2]);
    const bySession = await fetch(`${router.url}/api/me`, { headers: session });
    expect([bySession.status, answeredBy(bySession)]).toEqual([200, 2]);
    const visit = await fetch(`${router.url}/api${pathname}`);
    expect([visit.status, answeredBy(visit)]).toEqual([200, 2]);
    expect(await turnsOf(here, ann)).toEqual([]);
    expect(await turnsOf(here, ben)).toHaveLength(1);
    expect(await turnsOf(there, ben)).toEqual([]);
  });

  test('signs in there with the identity provider, and is known there by an ID token', async () => {
    const signIn = async () => {
      const browser = openBrowser();
      const { response } = await browser.follow(`${router.url}/login/oidc`);
      const page = (await response?.text()) ?? '';
      browser.keepKey(router.url, /'reborn\.session-key', '([\w-]+)'/.exec(page)?.[1] ?? '');
      return browser.visit(`${router.url}/api/me`);
    };
    const withIdToken = async () =>
      fetch(`${router.url}/api/me`, { headers: { authorization: `Bearer ${await idp.idToken('eva')}` } });
    const tell = async (response: Response) => {
      const { user_id: id, name } = (await response.json()) as { user_id: string; name: string };
      return { cell: answeredBy(response), id, name };
    };
    const before = await tell(await signIn());
    expect(before).toEqual({ cell: 1, id: expect.any(String), name: 'Eva' });
    expect(await tell(await withIdToken())).toEqual(before);

    const { code, stderr } = await move(before.id);
    expect([code, stderr]).toEqual([0, expect.stringContaining('Nothing is left here.')]);

    expect(await tell(await signIn())).toEqual({ ...before, cell: 2 });
    expect(await tell(await withIdToken())).toEqual({ ...before, cell: 2 });
  });

  test.each<MoveStep>(['leaving', 'resting', 'copied', 'arrived', 'left'])(
    'is in one cell when the command is killed after %s, and the next run finishes the move',
    async (step) => {
      const user = await addUser(here, `Killed ${step}`);
      const thread = await say(user, 'first', { message: 'count 20 every 100' });
      for (const number of [1, 2])
        await say(user, `q${number}`, { thread_id: thread, message: `say queued ${number}`, when_busy: 'queue' });

      const words = ['test/support/move-and-die.ts', step, user.id, placeOf(here), placeOf(there)];
      const dying = spawn(process.execPath, words, { env: BARE_ENV, stdio: ['ignore', 'inherit', 'inherit'] });
      const [, signal] = (await once(dying, 'exit')) as [number, string];
      expect(signal).toBe('SIGKILL');

      const hasArrived = ['arrived', 'left'].includes(step);
      expect(await there.home.query('select from threads where user_id = $1', [user.id])).toHaveLength(
        hasArrived ? 1 : 0,
      );
      const direct = await fetch(`${here.url}/api/me`, { headers: user.headers });
      expect(direct.status).toBe(step === 'left' ? 421 : 503);

      const { code, stderr } = await move(user.id);
      expect([code, stderr]).toEqual([0, expect.stringContaining('Nothing is left here.')]);
      await ended(user, 3);
      expect(await saidIn(user, thread)).toEqual([numbers(20), 'queued 1', 'queued 2']);
      expect(await turnsOf(here, user)).toEqual([]);
    },
  );
});

/** What the model says to `count N`. */
const numbers = (count: number): string => Array.from({ length: count }, (_, number) => `${number} `).join('');
