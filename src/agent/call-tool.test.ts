import { expect, test } from 'vitest';
import type { FunctionCallItem } from '#domain/item.ts';
import type { Turn } from '#domain/turn.ts';
import { createRegistry } from '#tools/registry.ts';
import type { Tool } from '#tools/tool.ts';
import { callTool, ToolFailure } from './call-tool.ts';

const place = { threadId: 't', turnId: 'u', turnSeq: 1, position: 3, usage: null, startedAt: null, attempt: 0 };
const body = { type: 'function_call', external: false, callId: 'call_1', name: 'send', arguments: '{"a": 1}' } as const;
const call: FunctionCallItem = { id: 'i', ...place, ...body };
const turn = { id: 'u', userId: 'ann' } as Turn;

/** Calls a tool `send` that does `act`, and counts how often it ran. */
async function callSend(
  act: Tool['call'],
  options: { repeatable?: boolean; found?: boolean; signal?: AbortSignal; call?: FunctionCallItem } = {},
) {
  let runs = 0;
  const send: Tool = {
    definition: { name: 'send', description: null, parameters: null, strict: null },
    repeatable: options.repeatable ?? false,
    call: (...given) => {
      runs++;
      return act(...given);
    },
  };
  const signal = options.signal ?? new AbortController().signal;
  const tools = await createRegistry([send]).current();
  const output = await callTool(options.call ?? call, { turn, tools, signal, found: options.found ?? false });
  return { output, runs };
}

test('a tool gets its arguments as the model wrote them, its owner, and a key of its own', async () => {
  const { signal } = new AbortController();
  const { output } = await callSend(
    async (argumentsJson, { owner, idempotencyKey, signal: given }) =>
      [argumentsJson, owner.userId, idempotencyKey, given === signal].join(' '),
    { signal },
  );

  expect(output).toBe('{"a": 1} ann u:3 true');
});

test('calls of one turn have different keys, and each try of a call has the same', async () => {
  const key: Tool['call'] = async (_argumentsJson, context) => context.idempotencyKey;
  const first = await callSend(key);

  expect((await callSend(key, { repeatable: true, found: true })).output).toBe(first.output);
  expect((await callSend(key, { call: { ...call, position: 4 } })).output).not.toBe(first.output);
});

test('a call that was found started is not repeated: its outcome is unknown', async () => {
  expect(await callSend(async () => 'sent', { found: true, repeatable: false })).toEqual({
    output: 'interrupted: the outcome is unknown',
    runs: 0,
  });
});

test('a call that was found started is run again when its tool is repeatable', async () => {
  expect(await callSend(async () => 'sent', { found: true, repeatable: true })).toEqual({ output: 'sent', runs: 1 });
});

test('a tool that nobody declared is an error the model can read', async () => {
  const { output, runs } = await callSend(async () => 'sent', { call: { ...call, name: 'nobody_knows' } });

  expect(output).toContain('no tool named "nobody_knows"');
  expect(runs).toBe(0);
});

test('a tool that cannot be run at all is a failure that names it and keeps the cause to itself', async () => {
  const cause = new Error('secret');
  const failed = callSend(() => Promise.reject(cause));

  await expect(failed).rejects.toBeInstanceOf(ToolFailure);
  await expect(failed).rejects.toMatchObject({ message: 'The tool send could not be run.', cause });
});

test('a turn that is stopped is no failure of its tool', async () => {
  const stopped = new Error('stopped');
  const controller = new AbortController();
  controller.abort(stopped);

  await expect(callSend(() => Promise.reject(stopped), { signal: controller.signal })).rejects.toBe(stopped);
});
