import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { expect } from 'vitest';
import type { z } from 'zod';
import type { openGate } from '#channels/gateway/gates/gate-shape.ts';
import { addUser, type TestUser } from '../../support/accounts.ts';
import { findFreePort } from '../../support/free-port.ts';
import { journey } from '../../support/journey.ts';
import { startModernServer } from '../../support/mcp-modern-server.ts';
import { startMcpServer } from '../../support/mcp-server.ts';
import { type Service, spawnService, textOf, type WireResponse } from '../../support/service.ts';
import { eventsOf, openSocket } from '../../support/socket.ts';
import { waitFor } from '../../support/wait-for.ts';

type Gate = z.infer<typeof openGate>;
type Chat = { thread_id: string; status: string; gate: { id: string; kind: string } };
type Client = Pick<Service, 'request'>;

const test = journey()
  .extend('modern', { scope: 'file' }, async ({ service }, { onCleanup }) => {
    const modern = await startModernServer();
    onCleanup(() => modern.close());
    await add(service, 'modern', modern.url);
    return modern;
  })
  .extend('ann', { scope: 'file' }, ({ service }) => addUser(service, 'Ann'));

async function call<T>(at: Client, method: string, route: string, body?: object, who?: TestUser, status = 200) {
  const init = { method, headers: { ...who?.headers }, ...(body && { body: JSON.stringify(body) }) };
  const response = await at.request(route, init);
  const text = await response.text();
  expect({ route, status: response.status, text }).toMatchObject({ status });
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

const add = (at: Client, name: string, url: string) =>
  call<object>(
    at,
    'POST',
    '/api/mcp',
    { name, url, private_network: true, trust_annotations: true, for: 'everyone' },
    undefined,
    201,
  );
const chat = (at: Client, message: string, who?: TestUser) => call<Chat>(at, 'POST', '/api/chat', { message }, who);
const gateOf = (at: Client, id: string, who?: TestUser) => call<Gate>(at, 'GET', `/api/gates/${id}`, undefined, who);

/** Answers a gate, and returns the response of the turn that follows once it has ended or waits again. */
async function answer(at: Client, id: string, body: object, who?: TestUser): Promise<WireResponse & { gates: Gate[] }> {
  const { response_id } = await call<{ response_id: string }>(at, 'POST', `/api/gates/${id}`, body, who, 202);
  return waitFor('the turn to end', async () => {
    const response = await call<WireResponse>(at, 'GET', `/api/v1/responses/${response_id}`, undefined, who);
    const { gates } = await call<{ gates: Gate[] }>(at, 'GET', '/api/gates', undefined, who);
    const isOver = response.status === 'completed' || response.status === 'failed';
    return isOver || gates.length > 0 ? { ...response, gates } : undefined;
  });
}

test('a question of a server is a gate: it survives kill -9 and a week, and the answer continues the call', async ({
  service,
  env,
  modern,
  ann,
  home,
}) => {
  const victim = await spawnService(env);
  const approval = await chat(victim, 'use modern__book {"to":"Oslo"}', ann);
  expect(approval).toMatchObject({ status: 'waiting', gate: { kind: 'approval' } });
  const { gates } = await answer(victim, approval.gate.id, { answer: 'approve' }, ann);
  await victim.kill();
  expect(gates).toMatchObject([
    {
      kind: 'input',
      call: { name: 'modern__book', arguments: '{"to":"Oslo"}' },
      question: {
        message: 'How many seats to Oslo?',
        url: null,
        fields: [
          { name: 'seats', type: 'integer', required: true, min: 1, max: 9 },
          { name: 'meal', type: 'choice', options: [{ value: 'fish' }, { value: 'rice' }] },
        ],
      },
    },
  ]);
  const [gate] = gates;
  const id = gate?.id ?? '';
  await home.query(
    `update approvals set expires_at = now() - interval '7 days', created_at = now() - interval '8 days'`,
  );
  await home.query(`update gates set created_at = created_at - interval '7 days'`);
  expect(await gateOf(service, id, ann)).toMatchObject({ question: { message: 'How many seats to Oslo?' } });
  expect(modern.calls).toHaveLength(1);

  // A message meanwhile waits, wrong values leave the gate open, and others can't answer it.
  await call(service, 'POST', '/api/chat/send', { message: 'say x', thread_id: approval.thread_id }, ann, 202);
  for (const [input, param] of [
    [{ seats: 100, meal: 'fish' }, 'input.seats'],
    [{ seats: 2 }, 'input.meal'],
    [{ seats: 2, meal: 'beef' }, 'input.meal'],
    [{ seats: 2, meal: 'fish', more: 'x' }, 'input.more'],
  ] as const)
    expect(
      await call<object>(service, 'POST', `/api/gates/${id}`, { answer: 'approve', input }, ann, 400),
    ).toMatchObject({ error: { param } });
  const bob = await addUser(service, 'Bob');
  await call(service, 'POST', `/api/gates/${id}`, { answer: 'approve', input: { seats: 2, meal: 'fish' } }, bob, 404);
  expect(modern.calls).toHaveLength(1);

  const done = await answer(service, id, { answer: 'approve', input: { seats: 2, meal: 'fish' } }, ann);
  expect(textOf(done)).toBe('result: Oslo: 2 with fish');
  expect(modern.calls).toHaveLength(2);
  expect(await home.query('select * from call_questions')).toEqual([]);
});

test('a call shows its progress while it runs, and a cancelled turn cancels it at the server', async ({
  service,
  modern,
}) => {
  const socket = await openSocket(service.url);
  try {
    socket.send({ type: 'send', message: 'use modern__slow {}' });
    const { turn_id } = await socket.first('accepted');
    const shown = () => eventsOf(socket.seen, turn_id).filter(({ event }) => event.type === 'tool-progress');
    await socket.until('two events', () => shown().length >= 2);
    expect(shown()[0]?.event).toMatchObject({ progress: expect.any(Number), total: 1000 });
    expect(shown()[0]?.event).toMatchObject({ message: expect.stringMatching(/^step \d+$/) }); // without the hidden mark
    expect(modern.state.isCancelled).toBe(false);
    socket.send({ type: 'cancel', turn_id });
    expect((await socket.ended(turn_id)).event).toMatchObject({ status: 'cancelled' });
    await waitFor('the end of the call', async () => modern.state.isCancelled);
    expect(modern.calls.filter(({ tool }) => tool === 'slow')).toHaveLength(1);
  } finally {
    socket.close();
  }
});

test('a declined question makes no further call, and an address is opened by the person', async ({
  service,
  modern,
  ann,
  model,
}) => {
  const waiting = await chat(service, 'use modern__visit {}', ann);
  expect(waiting).toMatchObject({ status: 'waiting', gate: { kind: 'input' } });
  expect(await gateOf(service, waiting.gate.id, ann)).toMatchObject({
    question: { message: 'Pay there.', url: 'https://pay.example.com/order/7', fields: [] },
  });
  const before = modern.calls.length;
  await answer(service, waiting.gate.id, { answer: 'deny', reason: 'too dear' }, ann);
  expect(modern.calls).toHaveLength(before);
  expect(JSON.stringify(model.seen.at(-1))).toContain('too dear');

  const again = await chat(service, 'use modern__visit {}', ann);
  expect(textOf(await answer(service, again.gate.id, { answer: 'approve' }, ann))).toBe('result: visited');
});

test('a server that refuses a call until a page was opened (-32042): the person opens it, and the call is made again', async ({
  service,
  env,
  ann,
}) => {
  const url = 'https://pay.example.com/order/8';
  const data = { elicitations: [{ mode: 'url', message: 'Pay first.', url, elicitationId: '8' }] };
  const paid = { isPaid: false };
  const shop = await startMcpServer({
    'tools/call': () =>
      paid.isPaid
        ? { content: [{ type: 'text', text: 'sent' }] }
        : { error: { code: -32_042, message: 'Not paid.', data } },
  });
  try {
    await add(service, 'shop', shop.url);
    const victim = await spawnService(env);
    const approval = await chat(victim, 'use shop__echo {}', ann);
    const { gates } = await answer(victim, approval.gate.id, { answer: 'approve' }, ann);
    await victim.kill();
    expect(gates).toMatchObject([{ kind: 'input', question: { message: 'Pay first.', url, fields: [] } }]);
    const refused = await answer(service, gates[0]?.id ?? '', { answer: 'approve' }, ann);
    expect(refused.gates).toMatchObject([{ kind: 'input', question: { url } }]); // not paid yet: it asks again
    paid.isPaid = true;
    const done = await answer(service, refused.gates[0]?.id ?? '', { answer: 'approve' }, ann);
    expect(textOf(done)).toBe('result: sent');
    expect(shop.calls()).toHaveLength(3);
  } finally {
    shop.close();
  }
});

test('the reference server, of the earlier protocol: it asks during the call, which is made again with the answer', async ({
  service,
  ann,
}) => {
  const port = await findFreePort();
  const program = path.resolve('node_modules/@modelcontextprotocol/server-everything/dist/index.js');
  const env = { PATH: process.env['PATH'], PORT: String(port) };
  const child = spawn(process.execPath, [program, 'streamableHttp'], { env, stdio: 'ignore' });
  try {
    const url = `http://127.0.0.1:${port}/mcp`;
    await waitFor('the reference server', () => fetch(url, { method: 'DELETE' }).then(Boolean, () => false));
    await add(service, 'every', url);
    const approval = await chat(service, 'use every__trigger-elicitation-request {}', ann);
    const { gates } = await answer(service, approval.gate.id, { answer: 'approve' }, ann);
    expect(gates[0]?.question?.fields.map(({ name, type }) => [name, type])).toEqual(
      expect.arrayContaining([
        ['name', 'text'],
        ['check', 'boolean'],
        ['integer', 'integer'],
        ['untitledSingleSelectEnum', 'choice'],
        ['untitledMultipleSelectEnum', 'choices'],
      ]),
    );
    const done = await answer(service, gates[0]?.id ?? '', { answer: 'approve', input: { name: 'Ann Smith' } }, ann);
    expect(textOf(done)).toContain('Ann Smith');
  } finally {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
});
