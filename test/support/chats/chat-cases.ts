import { expect } from 'vitest';
import { INERT, type Tool } from '#tools/tool.ts';
import { addUser, type TestUser } from '../accounts.ts';
import { createHeldTool } from '../held-tool.ts';
import { journey } from '../journey.ts';
import { createPost, obey } from '../obeying-model.ts';
import type { Service } from '../service.ts';
import { waitFor } from '../wait-for.ts';
import type { ChatPerson, ChatSide } from './chat-side.ts';

const NOTICES = 10;

const PICTURE = Buffer.from(`\x89PNG${'p'.repeat(3000)}`, 'latin1');
const TABLE = 'day,visits\n1,20\n';

const LONG = [
  'Here:\n\n```ts',
  ...Array.from({ length: 300 }, (_, line) => `const line${line} = "${'x'.repeat(20)}";`),
  '```\n\nThat is all.',
].join('\n');

export const chatTest = () =>
  journey().override('modelOptions', {
    decide: (prompt) => (prompt.messages.at(-1)?.text === 'be long' ? { pieces: [LONG] } : obey(prompt)),
  });

/** Registers the cases that hold on each platform, and returns what the other cases of the file need. */
export function chatCases(
  test: ReturnType<typeof chatTest>,
  open: () => Promise<{ side: ChatSide; people: readonly [ChatPerson, ChatPerson, ChatPerson] }>,
) {
  const used: string[] = [];
  const step = createHeldTool();
  const { tool: post, posted } = createPost();
  const send: Tool = {
    definition: { name: 'send', description: null, parameters: { type: 'object' }, strict: null },
    repeatable: false,
    flow: { reads: {}, runs: 'clean' },
    call: async (given) => {
      used.push(given);
      return 'sent';
    },
  };
  const draw: Tool = {
    definition: { name: 'draw', description: null, parameters: { type: 'object' }, strict: null },
    repeatable: true,
    level: 'allow',
    flow: INERT,
    call: async (given, { onFile }) => {
      const { name } = JSON.parse(given) as { name: string };
      onFile?.({ type: 'image', mediaType: 'image/png', base64: PICTURE.toString('base64') });
      onFile?.({ type: 'file', mediaType: 'text/csv', filename: name, base64: Buffer.from(TABLE).toString('base64') });
      return 'drawn';
    },
  };
  const stage = {} as {
    side: ChatSide;
    service: Service;
    ann: TestUser;
    bob: TestUser;
    channelId: string;
    phone: ChatPerson;
    other: ChatPerson;
    stranger: ChatPerson;
  };
  const as = (user: TestUser | undefined, route: string, method = 'GET', body?: object) =>
    stage.service.request(route, {
      method,
      ...(body && { body: JSON.stringify(body) }),
      ...(user && { headers: user.headers }),
    });
  const json = async <T>(answer: Promise<Response>) => (await (await answer).json()) as T;
  const shown = (person: Pick<ChatPerson, 'shown'>, words: RegExp | string) =>
    waitFor(`${words} in the chat`, async () =>
      person.shown().find(({ text }) => (typeof words === 'string' ? text === words : words.test(text))),
    );
  const waiting = async () =>
    (await json<{ channels: { waiting: number }[] }>(as(undefined, '/api/channels'))).channels.reduce(
      (sum, each) => sum + each.waiting,
      stage.side.pending(),
    );
  const openDeliveries = async () => {
    const pages = await Promise.all(
      ['pending', 'sending'].map((state) =>
        json<{ deliveries: object[] }>(as(undefined, `/api/deliveries?state=${state}`)),
      ),
    );
    return pages.reduce((sum, { deliveries }) => sum + deliveries.length, 0);
  };
  const settled = () => waitFor('all updates', async () => (await waiting()) === 0 && (await openDeliveries()) === 0);
  const createCode = async (user: TestUser) =>
    (await json<{ code: string }>(as(user, '/api/channels/codes', 'POST'))).code;
  const pair = async (user: TestUser, person: ChatPerson) => {
    const before = person.shown().filter(({ text }) => text.includes('is connected')).length;
    person.say(await createCode(user));
    await waitFor(
      'the link',
      async () => person.shown().filter(({ text }) => text.includes('is connected')).length > before,
    );
  };
  const countThreads = async (user: TestUser) =>
    (await json<{ threads: object[] }>(as(user, '/api/threads'))).threads.length;

  test.beforeAll(async ({ startAnother }) => {
    const { side, people } = await open();
    const [phone, other, stranger] = people;
    const service = await startAnother(
      { PUBLIC_URL: 'https://reborn.example' },
      {
        tools: [send, draw, post, step.tool],
        network: side.network,
        chats: {
          pollEveryMs: 100,
          leaseSeconds: 45,
          pauseMs: 100,
          editEveryMs: 30,
          claimSeconds: 4,
          sockets: { leastLifeMs: 50 },
        },
        deliveries: { pollEveryMs: 50, delaysSeconds: [0.1, 0.1, 0.1] },
      },
    );
    Object.assign(stage, { side, service, phone, other, stranger });
    stage.ann = await addUser(service, 'Ann');
    stage.bob = await addUser(service, 'Bob');
  });
  test.afterAll(() => stage.side.close());

  test('an operator adds an account; a wrong token, a second time and a member are refused', async () => {
    const { side, ann } = stage;
    expect((await as(ann, '/api/channels', 'POST', side.account)).status).toBe(403);
    const wrong = await as(undefined, '/api/channels', 'POST', side.wrong);
    expect(await wrong.json()).toMatchObject({
      error: { param: 'token', message: expect.stringContaining(side.problem) },
    });

    const added = await as(undefined, '/api/channels', 'POST', side.account);
    expect(added.status).toBe(201);
    const body = (await added.json()) as { id: string };
    stage.channelId = body.id;
    expect(body).toMatchObject({ name: side.name, mode: 'polling', groups: false, request_url: null });
    for (const secret of side.secrets) expect(JSON.stringify(body)).not.toContain(secret);
    expect((await as(undefined, '/api/channels', 'POST', side.account)).status).toBe(409);
    expect(await json(as(undefined, `/api/channels/${body.id}/test`, 'POST'))).toEqual({ error: null });
    await waitFor('the first answer', async () =>
      (
        await json<{ channels: { received_at: string | null; last_error: string | null }[] }>(
          as(undefined, '/api/channels'),
        )
      ).channels.every(({ last_error: error }) => error === null),
    );
  });

  test('a stranger gets one polite line, and can guess codes a few times only', async () => {
    const { stranger } = stage;
    for (const words of ['hello', 'are you there?', '/status', 'AAAAA-BBBBB', 'CCCCC-DDDDD']) stranger.say(words);
    await shown(stranger, /I only talk to people I know/);
    await settled();
    expect(stranger.shown()).toHaveLength(1);
  });

  test('a code links a chat to its user, once', async () => {
    const { ann, bob, phone, other, channelId } = stage;
    const code = await createCode(ann);
    phone.say(code.toLowerCase());
    await shown(phone, /is connected/);
    expect(await json(as(ann, '/api/channels'))).toMatchObject({
      links: [{ channel_id: channelId, sender: phone.id, name: phone.linkedName }],
    });
    expect(await json(as(bob, '/api/channels'))).toMatchObject({ links: [] });

    other.say(`/start ${code}`);
    await shown(other, /not valid/);
    await pair(bob, other);
    await shown(other, /is connected to the account of Bob\./);
  });

  test('a start link of someone else moves no chat: its person must unlink it first', async () => {
    const { ann, bob, phone, other } = stage;
    const linksOf = async (user: TestUser) => (await json<{ links: object[] }>(as(user, '/api/channels'))).links.length;
    const code = await createCode(ann);
    other.say(`/start ${code}`);
    await waitFor(
      'the answer',
      async () => other.shown().filter(({ text }) => /of Bob\..*\/unlink/s.test(text)).length === 2,
    );
    expect([await linksOf(ann), await linksOf(bob)]).toEqual([1, 1]);

    other.say('/unlink');
    await shown(other, /no longer connected to the account of Bob/);
    await waitFor('the end of the link', async () => (await linksOf(bob)) === 0);
    await pair(bob, other);
    expect(phone.shown().some(({ text }) => text.includes('Bob'))).toBe(false);
  });

  test('a message becomes a turn, and its answer is streamed into one message, complete', async () => {
    const { ann, bob, phone, side } = stage;
    phone.say('say **bold** and <b>not a tag</b> & done');
    const answer = await shown(phone, /<b>not a tag<\/b> & done$/);
    expect(answer.markup).toContain(side.marked.bold);
    expect(answer.texts[0]).toBe('…');
    expect(await countThreads(ann)).toBe(1);
    expect(await countThreads(bob)).toBe(0);

    phone.say('/new');
    await shown(phone, /starts a new conversation/);
    phone.say('say second');
    await shown(phone, 'second');
    expect(await countThreads(ann)).toBe(2);
  });

  test('a repeated update starts no second turn', async () => {
    const { phone, side } = stage;
    const update = phone.say('say only once');
    await shown(phone, 'only once');
    side.repeat(update);
    phone.say('say after it');
    await shown(phone, 'after it');
    await settled();
    expect(phone.shown().filter(({ text }) => text === 'only once')).toHaveLength(1);
  });

  test('an answer whose placeholder or edit got lost is shown once', async () => {
    const { phone, side } = stage;
    side.trouble();
    phone.say('say through trouble');
    await shown(phone, 'through trouble');
    await settled();
    expect(phone.shown().filter(({ text }) => text === 'through trouble')).toHaveLength(1);
    expect(phone.shown().filter(({ text }) => text === '…')).toHaveLength(0);
  });

  test('an approval is a button: only for its person, for the arguments shown, and once', async () => {
    const { phone, other, stranger } = stage;
    phone.say('use send {"to": "ann", "trick": "```\\n**Approved** \u202e"}');
    const question = await shown(phone, /Approve this call/);
    expect(question.text).toContain('\\u{202e}');
    expect(question.markup).toContain('**Approved**');
    const [approve, deny] = question.buttons;

    other.press(question, approve?.data ?? '');
    stranger.press(question, approve?.data ?? '');
    phone.press(question, `${approve?.data.slice(0, -1)}x`);
    await waitFor('the presses', async () => (await waiting()) === 0);
    expect(used).toEqual([]);

    phone.press(question, approve?.data ?? '');
    phone.press(question, approve?.data ?? '');
    phone.press(question, deny?.data ?? '');
    await shown(phone, /sent/);
    await settled();
    expect(used).toEqual(['{"to": "ann", "trick": "```\\n**Approved** \u202e"}']);
  });

  test('what a subagent waits for is asked once in the chat of the message that it works for', async () => {
    const { phone } = stage;
    const asking = () => phone.shown().filter(({ text }) => text.includes('A subagent asks: '));
    const task = 'use send {"to": "cid"}';
    phone.say(`use reborn_agent_run ${JSON.stringify({ task })}`);
    const question = await shown(phone, /Approve this call.*A subagent asks: .*cid/s);
    phone.say('/status');
    await shown(phone, /^I wait for an answer\. This chat/);
    await settled();
    expect(asking()).toHaveLength(1);

    phone.press(question, question.buttons[0]?.data ?? '');
    await shown(phone, /result: .*result: sent/s);
    expect(used.at(-1)).toBe('{"to": "cid"}');
  });

  test('a message that comes meanwhile is read after the step: what was said stays, and nothing empty is posted', async () => {
    const { phone } = stage;
    const before = phone.shown().length;
    const since = () =>
      phone
        .shown()
        .slice(before)
        .map(({ text }) => text);
    for (const [first, next] of [
      ['say let me see\nuse step {}', 'say with words'],
      ['use step {}', 'say without words'],
    ] as const) {
      phone.say(first);
      await step.begun();
      phone.say(next);
      await waitFor('the message', async () => (await waiting()) === 0);
      step.release();
      await shown(phone, next.slice('say '.length));
    }
    await settled();
    expect(since()).toEqual(['let me see', 'with words', 'without words']);
  });

  test('a long answer is split, and code stays code in every part', async () => {
    const { phone, side } = stage;
    phone.say('be long');
    await shown(phone, /That is all\.$/);
    const parts = phone.shown().filter(({ text }) => text.includes('const line'));
    expect(parts.length).toBeGreaterThan(2);
    for (const { text, markup } of parts) {
      expect(text.length).toBeLessThanOrEqual(side.marked.most);
      expect(markup).toContain(side.marked.code);
    }
    expect(parts.flatMap(({ text }) => text.match(/const line\d+/g) ?? [])).toHaveLength(300);
  });

  test('pictures and files of a tool come to the chat once each, although answers get lost', async ({ home }) => {
    const { ann, phone, side } = stage;
    const files = () => phone.shown().flatMap(({ file }) => file ?? []);
    side.loseFiles();
    phone.say('use draw {"name": "../../visits.csv"}');
    await waitFor('both files', async () => files().length >= 2);
    await settled();
    expect(files().map(({ name }) => name)).toEqual(['image.png', 'visits.csv']);
    expect(files().map(({ bytes }) => bytes.toString('latin1'))).toEqual([PICTURE.toString('latin1'), TABLE]);
    expect(phone.shown().filter(({ text }) => text === '…')).toEqual([]);
    const { threads } = await json<{ threads: { id: string }[] }>(as(ann, '/api/threads'));
    const { items } = await json<{ items: { output?: { url?: string }[] }[] }>(
      as(ann, `/api/threads/${threads[0]?.id}/items`),
    );
    const [, picture] = items.findLast(({ output }) => output)?.output ?? [];
    const served = await as(ann, picture?.url ?? '');
    expect(PICTURE.equals(Buffer.from(await served.arrayBuffer()))).toBe(true);
    const [uses] = await home.query<{ count: string }>('select count(*) from attachment_uses');
    expect(uses?.count).toBe('1'); // otherwise the sweep would take the bytes; the small file is inside its item
  });

  test('a sent file is one of the conversation, and presented files come back by name, once each', async () => {
    const { ann, phone, side } = stage;
    phone.say('/new');
    const sent = { name: 'costs.csv', mediaType: 'text/csv', bytes: Buffer.from(TABLE) };
    phone.sendFile(sent, 'say got it\nplease');
    await shown(phone, 'got it');
    const { threads } = await json<{ threads: { id: string }[] }>(as(ann, '/api/threads'));
    const kept = await as(ann, `/api/threads/${threads[0]?.id}/files/costs.csv`);
    expect(await kept.text()).toBe(TABLE);

    const before = phone.shown().length;
    const files = () =>
      phone
        .shown()
        .slice(before)
        .flatMap(({ file }) => file ?? []);
    phone.say(`use reborn_file_write ${JSON.stringify({ path: 'out/totals.csv', text: 'sum\n42\n' })}`);
    await settled(); // the next message would steer this one
    side.loseFiles();
    phone.say(
      `use reborn_file_present ${JSON.stringify({ paths: ['out/totals.csv', 'costs.csv', 'out/totals.csv'] })}`,
    );
    await waitFor('both files', async () => files().length >= 2);
    await settled();
    expect(files().map(({ name, bytes }) => [name, bytes.toString()])).toEqual([
      ['totals.csv', 'sum\n42\n'],
      ['costs.csv', TABLE],
    ]);
    expect(phone.shown().filter(({ text }) => text === '…')).toEqual([]);
  });

  test('a file that is too large for the platform is named, with the place to download it', async () => {
    const { ann, phone } = stage;
    phone.say('/new');
    phone.say('say a place for files');
    await shown(phone, 'a place for files');
    const { threads } = await json<{ threads: { id: string }[] }>(as(ann, '/api/threads'));
    const put = await stage.service.request(`/api/threads/${threads[0]?.id}/files/film.mp4`, {
      method: 'PUT',
      body: Buffer.alloc(51_000_000),
      headers: { ...ann.headers, 'content-type': 'video/mp4' },
    });
    expect(put.status).toBeLessThan(300);
    phone.say(`use reborn_file_present ${JSON.stringify({ paths: ['film.mp4'] })}`);
    const named = await shown(phone, /film\.mp4\W* \(51 MB\) is too large to be sent here/);
    expect(named.text).toContain(`https://reborn.example/threads/${threads[0]?.id}`);
    await settled();
  });

  test('a file that the platform refuses is named, and nothing behind it waits', async () => {
    const { phone, side } = stage;
    const before = phone.shown().length;
    side.refuseFile();
    phone.say('use draw {"name": "two.csv"}');
    const named = await shown(phone, /image\.png\W* can't be shown here/);
    await settled();
    const after = phone.shown().slice(before);
    expect(named.text).toContain('https://reborn.example/threads/');
    expect(after.map(({ file }) => file?.name)).toContain('two.csv');
    expect(after.filter(({ text }) => text === '…')).toEqual([]);
  });

  test('/stop ends the answer, and /status shows what runs', async () => {
    const { ann, phone } = stage;
    phone.say('hang');
    await waitFor('the turn', async () =>
      (await json<{ threads: { status: string }[] }>(as(ann, '/api/threads'))).threads.some(
        ({ status }) => status === 'running',
      ),
    );
    phone.say('/status');
    await shown(phone, /is being answered/);
    phone.say('/stop');
    await waitFor('the end', async () => phone.shown().filter(({ text }) => text.includes('Stopped.')).length >= 2);

    phone.say('use send {"stopped": true}');
    await shown(phone, /Approve this call[^]*"stopped": true/);
    const before = phone.shown().length;
    phone.say('/stop');
    await waitFor('the end', async () =>
      phone
        .shown()
        .slice(before)
        .some(({ text }) => text.includes('Stopped.')),
    );
    phone.say('/stop');
    await shown(phone, /Nothing is running\./);
  });

  test('the result of a mission and approvals of other threads come to the chat, once and soon', async () => {
    const { ann, phone } = stage;
    const schedule = { cron: '0 8 1 1 *', time_zone: 'Europe/Oslo' };
    const mission = { name: 'Report', instruction: 'say the report', schedule };
    const made = await json<{ id: string }>(as(ann, '/api/missions', 'POST', mission));
    await as(ann, `/api/missions/${made.id}/run`, 'POST');
    const seenAt = new Map<string, number>();
    for (let each = 0; each < NOTICES; each++) {
      const message = `use send {"notice": ${each}}`;
      const sent = await json<{ thread_id: string }>(as(ann, '/api/chat/send', 'POST', { message }));
      await shown(phone, new RegExp(`Approve this call[^]*"notice": ${each}}`));
      seenAt.set(sent.thread_id, Date.now());
    }
    await shown(phone, /Report[^]*the report/);
    await settled();
    expect(phone.shown().filter(({ text }) => /Report[^]*the report/.test(text))).toHaveLength(1);
    expect(phone.shown().filter(({ text }) => text.includes('"notice": '))).toHaveLength(NOTICES);

    const { gates } = await json<{ gates: { thread_id: string; created_at: string }[] }>(
      as(ann, '/api/gates?limit=100'),
    );
    const delays = gates
      .flatMap(({ thread_id: id, created_at: at }) => (seenAt.has(id) ? [(seenAt.get(id) ?? 0) - Date.parse(at)] : []))
      .toSorted((one, other) => one - other);
    const p95 = delays[Math.ceil(NOTICES * 0.95) - 1] ?? Number.NaN;
    console.log(
      `${stage.side.channel}: from a gate's row to the chat: p50 ${delays[NOTICES / 2 - 1]} ms, p95 ${p95} ms`,
    );
    expect(p95).toBeLessThan(6000); // 2 s on a machine that does nothing else
  });

  return { stage, as, json, shown, waiting, openDeliveries, settled, createCode, pair, used, posted };
}
