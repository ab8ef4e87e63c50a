import { expect } from 'vitest';
import type { Tool } from '#tools/tool.ts';
import { addUser } from '../../support/accounts.ts';
import type { Home } from '../../support/fresh-home.ts';
import { journey } from '../../support/journey.ts';
import { type Answer, followScript, type SeenPrompt } from '../../support/scripted-model.ts';
import { type Service, textOf } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

/** Lines that call tools are the whole script of a message: its tasks hold scripts for others. */
function decide(prompt: SeenPrompt): Answer {
  const asked = prompt.messages.findLastIndex(({ role }) => role === 'user');
  const uses = [...(prompt.messages[asked]?.text ?? '').matchAll(/^use (\S+) (.+)$/gm)];
  if (uses.length === 0 || asked < prompt.messages.length - 1) return followScript(prompt);
  return { calls: uses.map(([, name = '', json = '']) => ({ name, arguments: json })) };
}

/** Always asks. */
const pay: Tool = {
  definition: { name: 'pay', description: null, parameters: { type: 'object' }, strict: null },
  repeatable: false,
  call: async () => 'paid',
};

const test = journey()
  .override('modelOptions', { decide })
  .override({ parts: { tools: [pay] } })
  .override('settings', {
    AGENT_DEPTH: '2',
    AGENT_CHILDREN_AT_ONCE: '3',
    AGENT_CHILDREN_PER_RUN: '4',
    AGENT_CHILDREN_PER_TREE: '5',
    AGENT_TOKENS_PER_CHILD: '40',
  });

const use = (task: string, more: object = {}) => `use reborn_agent_run ${JSON.stringify({ task, ...more })}`;

/** The outputs in the last prompt of the thread that began with these words. */
function outputsIn(seen: readonly SeenPrompt[], words: string): string[] {
  const prompt = seen.findLast(({ messages }) => messages.some(({ role, text }) => role === 'user' && text === words));
  return prompt?.messages.filter(({ role }) => role === 'tool').map(({ text }) => text) ?? [];
}

const DELEGATIONS = `
  select state, outcome, tokens_limit::integer as limit, tokens_used::integer as used, delivered_at is not null as delivered,
    (select opening from threads where threads.id = child_thread_id) as task
  from delegations where tree = $1 order by (select depth from threads where threads.id = child_thread_id), started_at, call`;

const turnOf = async (home: Home, opening: string): Promise<string> => {
  const [row] = await home.query<{ id: string }>(
    'select turns.id from turns join threads on threads.id = thread_id where opening like $1 and seq = 1',
    [`${opening}%`],
  );
  return row?.id ?? '00000000-0000-0000-0000-000000000000';
};

async function treeOf(home: Home, opening: string) {
  return home.query(DELEGATIONS, [await turnOf(home, opening)]);
}

const listThreads = async (service: Service): Promise<{ opening?: string; title: string }[]> =>
  ((await (await service.request('/api/threads')).json()) as { threads: { title: string }[] }).threads;

test('a run gets the reports of its children, which work at the same time, and is one response', async ({
  service,
  model,
  home,
}) => {
  const words = ['divide', use('say one'), use('say two'), use('say three')].join('\n');
  const response = await service.ask(words);

  expect(response).toMatchObject({ status: 'completed', usage: { total_tokens: 30 } });
  // In the order they ended.
  const reports = outputsIn(model.seen, words).map((text) => /one|two|three/.exec(text)?.[0]);
  expect(reports).toHaveLength(3);
  expect(new Set(reports)).toEqual(new Set(['one', 'two', 'three']));
  const ended = { state: 'ended', outcome: 'completed', used: 15, limit: 40, delivered: true };
  expect(await treeOf(home, 'divide')).toMatchObject([ended, ended, ended]);
  expect((await listThreads(service)).filter(({ title }) => title.includes('say one'))).toMatchObject([
    { title: expect.stringMatching(/^divide/) },
  ]);
  expect(await service.get(response.id)).toMatchObject({ status: 'completed' });

  const inspected = await service.request(`/api/turns/${await turnOf(home, 'divide')}`);
  const { subagents } = (await inspected.json()) as { subagents: { task: string; spans: { kind: string }[] }[] };
  expect(subagents.map(({ task }) => task).toSorted()).toEqual(['say one', 'say three', 'say two']);
  for (const { spans } of subagents) expect(spans.map(({ kind }) => kind)).toEqual(['wait', 'attempt', 'model']);
});

test("a caller's call surfaces when the children of its run have reported, and its output continues the thread", async ({
  service,
  model,
}) => {
  const words = ['ask around', use('count 5 every 20'), 'use look {}'].join('\n');
  const tools = [{ type: 'function', name: 'look', parameters: { type: 'object' } }];
  const { id, output } = await service.ask(words, { tools });
  expect(output).toMatchObject([{ type: 'function_call', name: 'look' }]);

  const result = [{ type: 'function_call_output', call_id: output[0]?.call_id, output: 'snow' }];
  expect(textOf(await service.ask(result, { previous_response_id: id }))).toBe('result: snow');
  expect(outputsIn(model.seen, words)).toEqual([expect.stringContaining('0 1 2 3 4'), expect.stringContaining('snow')]);
});

test('a child that fails, is stopped or says nothing is reported as such, and a grandchild works for its child', async ({
  service,
  model,
  home,
}) => {
  const words = ['ends', use('break 400'), use('overflow'), use(`deep\n${use('say leaf')}`)].join('\n');
  expect(await service.ask(words)).toMatchObject({ status: 'completed' });

  const reports = outputsIn(model.seen, words);
  expect(reports).toHaveLength(3);
  for (const said of ['failed: model_error', 'incomplete: too long', 'leaf'])
    expect(reports.filter((text) => text.includes(said))).toHaveLength(1);
  const rows = await treeOf(home, 'ends');
  expect(rows).toHaveLength(4);
  // What the grandchild has used is part of what its parent has used.
  expect(rows.filter(({ task }) => String(task).startsWith('deep'))).toMatchObject([{ used: 45 }]);
});

test('a model that starts children without end is stopped by each limit; each says why', async ({
  service,
  model,
  home,
}) => {
  const many = ['too many', ...Array.from({ length: 5 }, () => use('count 3 every 300'))].join('\n');
  await service.ask(many);
  const refused = outputsIn(model.seen, many).filter((text) => text.includes('Not started: '));
  expect(refused).not.toEqual([]);
  expect(await treeOf(home, 'too many')).toHaveLength(5 - refused.length);

  const deep = ['too deep', use(`middle\n${use(`leaf\n${use('say never')}`)}`)].join('\n');
  await service.ask(deep);
  expect((await treeOf(home, 'too deep')).map(({ task }) => String(task).split(' ')[0])).toEqual(['middle', 'leaf']);
  expect(model.seen.filter(({ messages }) => messages.at(-1)?.text === 'say never')).toEqual([]);
});

test('a child stops at its budget, and what its run holds for it is taken from the budget of its children', async ({
  service,
  model,
  home,
}) => {
  const middle = `middle\n${use('count 3 every 300', { budget: 30 })}\n${use('say never')}`;
  const words = ['costly', use(middle), use(use('say leaf'), { budget: 10 })].join('\n');
  await service.ask(words);
  expect(outputsIn(model.seen, words).join()).toContain('failed: budget_exceeded');
  // 40 tokens, of which its first answer used 15: its first child gets the rest, and nothing is left for the second one.
  expect(await treeOf(home, 'costly')).toMatchObject([
    { task: expect.stringMatching(/^middle/), limit: 40, outcome: 'completed', used: 45 },
    { limit: 10, outcome: 'failed', used: 15 },
    { limit: 25, outcome: 'completed', used: 15 },
  ]);
  expect(outputsIn(model.seen, middle).join()).toContain('Not started: the budget of this run leaves nothing');
});

test('stopping a run stops everything below it', async ({ service, home }) => {
  const words = ['stop me', use('hang'), use(`middle\n${use('hang below')}`)].join('\n');
  const sent = await service.request('/api/chat/send', { method: 'POST', body: JSON.stringify({ message: words }) });
  const { response_id: id } = (await sent.json()) as { response_id: string };
  const parked = `select from turns where id = $1 and ready_at = 'infinity'`;
  await waitFor('the tree to work', async () => {
    const rows = await treeOf(home, 'stop me');
    return rows.length === 3 && (await home.query(parked, [await turnOf(home, 'stop me')])).length === 1;
  });

  const cancelled = await service.request(`/api/v1/responses/${id}/cancel`, { method: 'POST' });
  expect(cancelled.status).toBe(200);
  await waitFor('all to end', async () => (await treeOf(home, 'stop me')).every(({ state }) => state === 'ended'));
  expect((await treeOf(home, 'stop me')).map(({ outcome }) => outcome)).toEqual([
    'cancelled',
    'cancelled',
    'cancelled',
  ]);
  expect(await service.get(id)).toMatchObject({ status: 'cancelled' });
  expect(await home.query(`select from turns where status in ('queued', 'running')`)).toEqual([]);
});

test('a run whose deadline passes while its children work ends, and they with it', async ({ startAnother, home }) => {
  const service = await startAnother({ RESPONSES_TIMEOUT_SECS: '1' });
  const late = await service.ask(['too late', use('hang')].join('\n'));
  expect(late).toMatchObject({ status: 'failed', error: { code: 'turn_timeout' } });
  await waitFor('the child to end', async () => (await treeOf(home, 'too late'))[0]?.['state'] === 'ended');
  await service.close();
});

test('a deleted child is reported as deleted, and a deleted thread takes its children with it', async ({
  service,
  model,
  home,
}) => {
  const words = ['lose one', use('hang')].join('\n');
  const asked = service.ask(words);
  const child = await waitFor('the child to work', async () => {
    const [row] = await home.query<{ id: string }>(`select id from threads where parent is not null and opening = 'hang'
      and active in (select id from turns where status = 'running') order by id desc`);
    return row?.id;
  });
  expect((await service.request(`/api/threads/${child}`, { method: 'DELETE' })).status).toBeLessThan(300);
  expect(await asked).toMatchObject({ status: 'completed' });
  expect(outputsIn(model.seen, words)).toEqual([expect.stringContaining('deleted')]);

  const [root] = await home.query<{ id: string }>(
    `select id from threads where opening like 'divide%' and parent is null`,
  );
  expect((await service.request(`/api/threads/${root?.id}`, { method: 'DELETE' })).status).toBeLessThan(300);
  expect(await home.query('select from threads where root = $1', [root?.id])).toEqual([]);
});

test('the gate of a child is listed with its path and is in the tree, and its run continues after the answer', async ({
  service,
  model,
}) => {
  const words = ['needs you', use(`asker\nuse pay {}`)].join('\n');
  const sent = await service.request('/api/chat/send', { method: 'POST', body: JSON.stringify({ message: words }) });
  const { thread_id: id } = (await sent.json()) as { thread_id: string };
  const get = async <T>(route: string) => (await (await service.request(route)).json()) as T;
  const listGates = () => get<{ gates: { id: string; thread_id: string; path?: string[] }[] }>('/api/gates');
  const gate = await waitFor('the gate', async () => (await listGates()).gates[0]);
  expect(gate).toMatchObject({ path: [expect.stringMatching(/^needs you/), expect.stringMatching(/^asker/)] });
  const { nodes } = await get<{ nodes: object[] }>(`/api/threads/${id}/tree`);
  expect(nodes).toMatchObject([
    { thread_id: gate.thread_id, parent_id: id, depth: 1, state: 'waiting', tokens: 15, gate },
  ]);
  expect(await get(`/api/threads/${id}`)).toMatchObject({ status: 'waiting' });

  await service.request(`/api/gates/${gate.id}`, { method: 'POST', body: JSON.stringify({ answer: 'approve' }) });
  expect(await get(`/api/threads/${id}`)).not.toMatchObject({ status: 'waiting' });
  await waitFor('the report', async () => outputsIn(model.seen, words)[0]?.includes('paid'));
  expect(await get(`/api/threads/${id}/tree`)).toMatchObject({
    nodes: [{ state: 'ended', outcome: 'completed', tokens: 30 }],
  });
});

test('a thread waits for a subagent further down, and one subagent is stopped with all below it', async ({
  service,
  model,
  home,
}) => {
  const words = ['stop one', use(`asks below\n${use('asker\nuse pay {}')}`), use('say goes on')].join('\n');
  const sent = await service.request('/api/chat/send', { method: 'POST', body: JSON.stringify({ message: words }) });
  const { thread_id: id } = (await sent.json()) as { thread_id: string };
  const get = async <T>(route: string) => (await (await service.request(route)).json()) as T;
  const statusOf = async (thread: string) => (await get<{ status: string }>(`/api/threads/${thread}`)).status;
  await waitFor('the thread to wait', async () => (await statusOf(id)) === 'waiting');
  const { nodes } = await get<{ nodes: { call: string; thread_id: string; task: string }[] }>(
    `/api/threads/${id}/tree`,
  );
  const middle = nodes.find(({ task }) => task.startsWith('asks below'));
  expect(await statusOf(middle?.thread_id ?? '')).toBe('waiting');

  const stop = (call?: string, headers = {}) =>
    service.request(`/api/subagents/${call}/stop`, { method: 'POST', headers });
  const bob = await addUser(service, 'Bob');
  expect((await stop(middle?.call, bob.headers)).status).toBe(404);
  expect((await stop(middle?.call)).status).toBe(204);
  await waitFor('the report', async () => outputsIn(model.seen, words).length === 2);
  expect(outputsIn(model.seen, words).join()).toMatch(/goes on.*cancelled|cancelled.*goes on/s);
  const ends = await treeOf(home, 'stop one');
  expect(ends.map(({ task, outcome }) => `${String(task).split(' ')[0]} ${String(outcome)}`).toSorted()).toEqual([
    'asker cancelled',
    'asks cancelled',
    'say completed',
  ]);
  expect((await stop(middle?.call)).status).toBe(204);
  expect((await stop('0198c2d4-6d1e-7c3a-9b51-3f2f8a9f1c11')).status).toBe(404);
  expect(await get('/api/gates')).toMatchObject({ gates: [] });
});

test('a subagent answers as the assistant that the call names, and has no tool that the run above lacks', async ({
  service,
  model,
}) => {
  for (const asked of [
    { name: 'lead', instructions: 'Lead the others.', tools: ['reborn_agent_run', 'reborn_time', 'pay'] },
    { name: 'reader', instructions: 'Read it twice.', tools: ['reborn_time', 'reborn_web_fetch'] },
  ])
    await service.request('/api/assistants', { method: 'POST', body: JSON.stringify(asked) });
  const words = ['by name', use('say read', { assistant: 'reader' }), use('say lost', { assistant: 'nobody' })].join(
    '\n',
  );
  expect(await service.ask(words, { model: 'agent/lead' })).toMatchObject({ status: 'completed' });

  const asked = model.seen.find(({ messages }) => messages.at(-1)?.text === 'say read');
  expect(asked?.tools).toEqual(['reborn_time']);
  const system = asked?.messages[0]?.text ?? '';
  expect(system).toContain('Read it twice.');
  expect(system).not.toContain('Lead the others.');
  expect(outputsIn(model.seen, words).join()).toContain('there is no assistant');
  expect(model.seen.filter(({ messages }) => messages.at(-1)?.text === 'say lost')).toEqual([]);
});
