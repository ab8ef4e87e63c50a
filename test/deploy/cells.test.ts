import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addUser, type TestUser } from '../support/accounts.ts';
import { answeredBy, NGINX, type RunningCell, startCell, startRouter } from '../support/cells.ts';
import { runReborn } from '../support/run-reborn.ts';
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts';
import { clientOf, TOKEN, textOf, webhookClientOf } from '../support/service.ts';
import { openSocket } from '../support/socket.ts';

describe.runIf(existsSync(NGINX))('two cells behind the nginx of deploy/', () => {
  const undo = new AsyncDisposableStack();
  let model: ScriptedModel;
  let cells: RunningCell[];
  let router: Awaited<ReturnType<typeof startRouter>>;
  let users: TestUser[];

  beforeAll(async () => {
    model = await startScriptedModel();
    undo.defer(() => model.close());
    cells = [];
    for (const number of [1, 2]) {
      const cell = await startCell(number, model);
      undo.defer(() => cell.remove());
      cells.push(cell);
    }
    router = await startRouter(cells);
    undo.defer(() => router.close());
    users = [];
    for (const cell of cells) users.push(await addUser(cell, 'Ann'));
  }, 60_000);
  afterAll(() => undo.disposeAsync());

  const userOf = (cell: number): TestUser => users[cell - 1] as TestUser;
  const send = (route: string, init: RequestInit = {}) => fetch(router.url + route, init);
  const as = (user: TestUser) => {
    const { request, ...rest } = clientOf(router.url);
    const asUser: typeof request = (route, init) => request(route, { ...init, headers: user.headers });
    return { ...rest, request: asUser };
  };
  const post = (body: object, headers: Record<string, string> = {}) => ({
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

  describe.each([1, 2])('a user of cell %i', (cell) => {
    test('reaches it with the chat and the Responses API, and all ids carry it', async () => {
      const chat = await send('/api/chat/send', post({ message: 'say hi' }, userOf(cell).headers));
      const { thread_id: thread } = (await chat.json()) as { thread_id: string };
      const created = await send('/api/v1/responses', post({ model: 'm', input: 'say yes' }, userOf(cell).headers));
      const response = (await created.json()) as Parameters<typeof textOf>[0];

      expect([answeredBy(chat), answeredBy(created), textOf(response)]).toEqual([cell, cell, 'yes']);
      for (const id of [thread, response.id, userOf(cell).id, userOf(cell).tokenId, userOf(cell).token])
        expect(id).toMatch(new RegExp(`00${cell}$`));
      expect((await as(userOf(cell)).request(`/api/v1/responses/${response.id}`)).status).toBe(200);
    });

    test('reads a stream', async () => {
      const body = { model: 'm', input: 'count 5 every 20', stream: true };
      const streamed = await send('/api/v1/responses', post(body, userOf(cell).headers));

      expect(answeredBy(streamed)).toBe(cell);
      expect((await streamed.text()).split('event: response.output_text.delta')).toHaveLength(6);
    });

    test('talks through a WebSocket', async () => {
      const socket = await openSocket(router.url, userOf(cell).headers);
      socket.send({ type: 'send', message: 'say hi' });
      const { turn_id: turn } = await socket.first('accepted');
      await socket.ended(turn);
      socket.close();

      expect(turn).toMatch(new RegExp(`00${cell}$`));
    });

    test('signs in on the page of the default cell, with a token or a link', async () => {
      const origin = { origin: router.url };
      const byToken = await send('/login', post({ token: userOf(cell).token }, origin));
      const link = await as(userOf(cell)).request('/api/sign-in-links', { method: 'POST' });
      const code = new URL(((await link.json()) as { url: string }).url).searchParams.get('code');
      const byCode = await send('/login', post({ code }, origin));

      for (const signedIn of [byToken, byCode]) {
        const { session_key: key } = (await signedIn.json()) as { session_key: string };
        const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
        const me = await send('/api/me', { headers: { cookie, 'x-session-key': key } });
        expect([answeredBy(signedIn), me.status, answeredBy(me)]).toEqual([cell, 200, cell]);
      }
    });

    test('shares a thread with everyone, also with visitors who are signed in to the other cell', async () => {
      const { id } = await as(userOf(cell))
        .request('/api/chat', { ...post({ message: 'say shared' }) })
        .then(threadOf);
      const put = await as(userOf(cell)).request(`/api/threads/${id}/share`, {
        method: 'PUT',
        body: JSON.stringify({ include_tools: true }),
      });
      const { url } = (await put.json()) as { url: string };
      const link = new URL(url).pathname.split('/').at(-1) ?? '';
      const visits = [
        await send(`/api/shared/${link}`),
        await send(`/api/shared/${link}`, { headers: { cookie: `reborn_session=${'a'.repeat(43)}00${3 - cell}` } }),
      ];

      for (const visit of visits) expect([visit.status, answeredBy(visit)]).toEqual([200, cell]);
    });

    test('gets webhook messages, and their jobs are found by id', async () => {
      const hooks = webhookClientOf(router.webhookUrl);
      const accepted = await hooks.request(`/cells/00${cell}/webhook`, post({ user_id: 'ann', message: 'say hook' }));
      const { job_id: job } = (await accepted.json()) as { job_id: string };

      expect([answeredBy(accepted), (await hooks.completed(job)).response]).toEqual([cell, 'hook']);
    });

    test('is found by a session cookie under https', async () => {
      const cookie = `other=1; __Host-reborn_session=${'a'.repeat(43)}00${cell}`;

      expect(answeredBy(await send('/api/me', { headers: { cookie } }))).toBe(cell);
    });

    test('is found by the id of a chat channel and by the state of a sign-in', async () => {
      const channel = `/channels/telegram/01a2b3c4-d5e6-7f80-9a0b-c1d2e3f4000${cell}`;
      const callback = `/login/oidc/callback?code=c&state=${'s'.repeat(43)}00${cell}`;

      expect(answeredBy(await send(channel, post({})))).toBe(cell);
      expect(answeredBy(await send(callback))).toBe(cell);
      expect(answeredBy(await send(`/login/oidc?cell=00${cell}`))).toBe(cell);
    });
  });

  test('a request without a credential goes to the default cell', async () => {
    expect(answeredBy(await send('/login'))).toBe(1);
    expect(answeredBy(await send('/openapi.json'))).toBe(1);
    expect(answeredBy(await send('/api/me', { headers: { authorization: `Bearer ${TOKEN}` } }))).toBe(1);
  });

  test('a credential of a cell that is not listed is refused, and an old id is not taken for one', async () => {
    const stranger = { authorization: `Bearer reborn_${'a'.repeat(43)}abc` };
    const refused = await send('/api/me', { headers: stranger });
    const old = await send('/channels/telegram/01a2b3c4-d5e6-7f80-9a0b-c1d2e3f40abc', post({}));

    expect([refused.status, await refused.text()]).toEqual([404, expect.stringContaining('There is no cell abc here')]);
    expect([old.status, answeredBy(old)]).toEqual([404, 1]);
  });

  test('a token that no cell knows gets 401', async () => {
    const unknown = `reborn_${'a'.repeat(43)}002`;
    const direct = await send('/api/me', { headers: { authorization: `Bearer ${unknown}` } });
    const signIn = await send('/login', post({ token: unknown }, { origin: router.url }));

    expect([direct.status, signIn.status]).toEqual([401, 401]);
  });

  test('a cell answers a credential of another one with 421 and its number', async () => {
    const misdirected = await fetch(`${cells[0]?.url}/api/me`, { headers: userOf(2).headers });

    expect([misdirected.status, misdirected.headers.get('reborn-cell')]).toEqual([421, '002']);
  });

  test('a process with another cell, or none, is refused', async () => {
    const { env } = cells[0] as RunningCell;
    const other = await runReborn(['user', 'erase', 'Nobody', '--yes'], { env: { ...env, CELL: '2' } });
    const none = await runReborn(['user', 'erase', 'Nobody', '--yes'], { env: { ...env, CELL: '' } });

    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('belongs to cell 1, but CELL is 2') });
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('but CELL is not set. Set CELL=1') });
  });

  test('the operator sees all cells at once, and which does not answer', async () => {
    const urls = [...cells.map(({ url }) => url), 'http://127.0.0.1:1'];
    const shown = await runReborn(['status', '--cells', urls.join()], {
      env: { REBORN_HOME: cells[0]?.home.home ?? '', SERVICE_REBORN_WEBUI_TOKEN: TOKEN },
    });

    expect(shown).toMatchObject({ code: 3, stderr: '' });
    const [, first, second, dead, total] = shown.stdout.split('\n').map((line) => line.trim().split(/ {2,}/));
    expect([first?.[0], first?.[2], second?.[0], second?.[2]]).toEqual([urls[0], '1', urls[1], '1']);
    expect(dead).toEqual(['http://127.0.0.1:1', 'no answer', '-', '-', '-', '-']);
    expect([total?.[0], total?.[1]]).toEqual(['2 of 3 answer', '2']);
  });

  test('the webhook secret is checked by the cell', async () => {
    const wrong = await fetch(`${router.webhookUrl}/cells/002/webhook`, post({}, { 'x-webhook-secret': 'wrong' }));

    expect([wrong.status, answeredBy(wrong)]).toEqual([401, 2]);
  });
});

async function threadOf(response: Response): Promise<{ id: string }> {
  const { thread_id: id } = (await response.json()) as { thread_id: string };
  return { id };
}
