import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { text } from '#domain/thread/item.ts';
import type { Prompt } from '../model.ts';
import { createModel } from './create-model.ts';

test('text that came before a tool call stays before it, and the call is read unchanged', async () => {
  const answer = await ask([
    chunk({ role: 'assistant', content: 'Let me ' }),
    chunk({ content: 'look.' }),
    chunk({ tool_calls: [{ index: 0, id: 'call_a', function: { name: 'lookup', arguments: '' } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '"Oslo"}' } }] }),
    chunk({}, 'tool_calls'),
    USAGE,
    DONE,
  ]);

  expect(answer).toMatchObject({
    text: 'Let me look.',
    calls: [{ callId: 'call_a', name: 'lookup', arguments: '{"city":"Oslo"}' }],
    finish: 'stop',
    usage: { inputTokens: 100, outputTokens: 20 },
  });
});

test('text after a chunk of another kind keeps its order', async () => {
  const answer = await ask([
    chunk({ content: 'one ' }),
    chunk({ content: [{ type: 'text', text: 'two ' }] }),
    chunk({ content: 'three' }),
    chunk({}, 'stop'),
    USAGE,
  ]);

  expect(answer).toMatchObject({ text: 'one two three', usage: { inputTokens: 100 } });
});

test('a finish before an unusual chunk is kept', async () => {
  const odd = `data: ${JSON.stringify({ choices: [{ delta: { refusal: 7 } }] })}\n\n`;

  expect(await ask([chunk({ content: 'done' }, 'stop'), USAGE, odd])).toMatchObject({
    text: 'done',
    finish: 'stop',
    usage: { inputTokens: 100, outputTokens: 20 },
  });
});

test('events are read with any line endings, comments and splits', async () => {
  const stream = `\uFEFF: hello\r\n\r\n${chunk({ content: 'zwölf ' }).replaceAll('\n', '\r\n')}event: x\nid: 7\n${chunk({ content: '€' })}${chunk({}, 'stop').replace('data: ', 'data:')}`;
  const bytes = [...Buffer.from(stream)].map((byte) => Buffer.from([byte]));

  expect(await ask(bytes)).toMatchObject({ text: 'zwölf €', finish: 'stop' });
});

test('a server may report usage with every chunk', async () => {
  const counting = (content: string, output: number) =>
    chunk({ content }).replace('{"id"', `{"usage":{"prompt_tokens":9,"completion_tokens":${output}},"id"`);
  const called = chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }] });

  const plain = await ask([counting('a', 1), counting('b', 2), chunk({}, 'stop')]);
  expect(plain).toMatchObject({ text: 'ab', usage: { inputTokens: 9, outputTokens: 2 } });
  const mixed = await ask([counting('a', 1), counting('b', 2), called, chunk({}, 'tool_calls')]);
  expect(mixed).toMatchObject({ text: 'ab', calls: [{ name: 'f' }], usage: { inputTokens: 9, outputTokens: 2 } });
});

test('reasoning is not part of the answer', async () => {
  const answer = await ask([chunk({ reasoning_content: 'Hm.' }), chunk({ content: 'Yes.' }), chunk({}, 'stop')]);

  expect(answer.text).toBe('Yes.');
});

test.each([
  ['not JSON', 'data: {"choices\n\n'],
  ['a list', 'data: []\n\n'],
  ['a number where text belongs', chunk({ content: 5 })],
])('a chunk that is %s is a failure', async (_, odd) => {
  await expect(ask([chunk({ content: 'Once' }), odd, chunk({}, 'stop')])).rejects.toMatchObject({
    name: 'ModelFailure',
    remedy: 'ask-again',
  });
});

test('a kept-alive connection that the server has closed is not a failure', async () => {
  await using server = await serve([chunk({ content: 'hi' }), chunk({}, 'stop')]);
  const model = createModel({ provider: 'openai-compatible', name: 'm', baseUrl: server.url });
  for (let round = 0; round < 5; round++) {
    expect((await model.ask(hello, () => {}, new AbortController().signal)).text).toBe('hi');
    server.closeIdle();
  }
  expect(server.connections()).toBeGreaterThan(1);
});

test('connections are reused', async () => {
  await using server = await serve([chunk({ content: 'hi' }), chunk({}, 'stop')]);
  const model = createModel({ provider: 'openai-compatible', name: 'm', baseUrl: server.url });
  for (let round = 0; round < 5; round++) await model.ask(hello, () => {}, new AbortController().signal);

  expect(server.connections()).toBe(1);
});

const hello: Prompt = {
  system: '',
  messages: [{ role: 'user', content: [text('Hello')] }],
  tools: [],
  temperature: null,
};

function chunk(delta: object, finish: string | null = null): string {
  return `data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
}

const USAGE = `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 100, completion_tokens: 20 } })}\n\n`;
const DONE = 'data: [DONE]\n\n';

async function ask(body: readonly (string | Buffer)[]) {
  await using server = await serve(body);
  const model = createModel({ provider: 'openai-compatible', name: 'm', baseUrl: server.url });
  return await model.ask(hello, () => {}, new AbortController().signal);
}

async function serve(body: readonly (string | Buffer)[]) {
  let connections = 0;
  const server = createServer((request, response) => void request.resume().on('end', () => void answer(response)));
  async function answer(response: ServerResponse): Promise<void> {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const piece of body) await new Promise((written) => response.write(piece, written));
    response.end();
  }
  server.on('connection', () => connections++);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    connections: () => connections,
    closeIdle: () => server.closeIdleConnections(),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
