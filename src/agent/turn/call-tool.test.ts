import { expect, test } from 'vitest';
import type { ItemId, ThreadId, TurnId } from '#domain/ids.ts';
import type { FunctionCallItem } from '#domain/thread/item.ts';
import type { Turn } from '#domain/thread/turn.ts';
import type { Tool } from '#tools/tool.ts';
import { callTool, ToolFailure } from './call-tool.ts';

const position = {
  threadId: 't' as ThreadId,
  turnId: 'u' as TurnId,
  turnSeq: 1,
  position: 3,
  usage: null,
  startedAt: null,
  attempt: 0,
};
const body = { type: 'function_call', external: false, callId: 'call_1', name: 'send', arguments: '{"a": 1}' } as const;
const call: FunctionCallItem = { id: 'i' as ItemId, ...position, ...body };
const turn = { id: 'u', userId: 'ann', seq: 1, attempt: 1 } as Turn;
const startedAt = new Date();

/** Calls a tool `send` that does `act`, and counts how often it ran. */
async function callSend(
  act: Tool['call'],
  options: { repeatable?: boolean; signal?: AbortSignal; call?: FunctionCallItem } = {},
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
  const made = options.call ?? call;
  const decision = {
    tool: made.name === 'send' ? send : undefined,
    secretsOf: { userId: 'bob' },
    situation: 'clean' as const,
  };
  const output = await callTool(made, { turn, decision, signal });
  return { output, runs };
}

test('a tool gets the arguments as the model wrote them, its owner, the owner of the secrets, and a unique key', async () => {
  const { signal } = new AbortController();
  const { output } = await callSend(
    async (argumentsJson, { owner, secretsOf, idempotencyKey, signal: given }) =>
      [argumentsJson, owner.userId, secretsOf.userId, idempotencyKey, given === signal].join(' '),
    { signal },
  );

  expect(output).toBe('{"a": 1} ann bob u:3 true');
});

test('calls of one turn have different keys, and each try of a call has the same', async () => {
  const key: Tool['call'] = async (_argumentsJson, context) => context.idempotencyKey;
  const first = await callSend(key);

  expect((await callSend(key, { repeatable: true, call: { ...call, startedAt } })).output).toBe(first.output);
  expect((await callSend(key, { call: { ...call, position: 4 } })).output).not.toBe(first.output);
});

test.each([
  ['an earlier attempt of this turn', { attempt: 0, turnSeq: 1 }],
  ['this turn, though an earlier one has made it', { attempt: 0, turnSeq: 0 }],
  ['this turn, though an attempt of the same number has made it in an earlier one', { attempt: 1, turnSeq: 0 }],
])('a call that was started by %s is not repeated blindly', async (_by, made) => {
  const found = { ...call, ...made, startedAt };

  expect(await callSend(async () => 'sent', { call: found })).toEqual({
    output: 'interrupted: the outcome is unknown',
    runs: 0,
  });
  expect(await callSend(async () => 'sent', { call: found, repeatable: true })).toEqual({ output: 'sent', runs: 1 });
});

test('a call that this very attempt has started is run', async () => {
  const own = { ...call, attempt: 1, startedAt };

  expect(await callSend(async () => 'sent', { call: own })).toEqual({ output: 'sent', runs: 1 });
});

test.each([
  ['has the field', { arguments: '{}', blocked: 'leak' }],
  ['was stored with a text in place of the field', { arguments: '{"blocked":"The arguments held a stored secret."}' }],
] as const)('a blocked call is not run when it %s', async (_when, blocked) => {
  const { output, runs } = await callSend(async () => 'sent', { call: { ...call, ...blocked } });

  expect(output).toContain('Not run: the arguments held a stored secret');
  expect(runs).toBe(0);
});

test('a call whose arguments could not be searched is not run, and says so', async () => {
  const unsearched = { ...call, arguments: '{}', blocked: 'unsearched' } as const;
  const { output, runs } = await callSend(async () => 'sent', { call: unsearched });

  expect(output).toContain('could not be searched for secrets');
  expect(runs).toBe(0);
});

test('a call with the argument "blocked" is run', async () => {
  const made = { ...call, arguments: '{"blocked":"yes"}' };

  expect(await callSend(async () => 'sent', { call: made })).toEqual({ output: 'sent', runs: 1 });
});

test('a call of an unknown tool is an error that the model can read', async () => {
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

test('a stopped turn does not count as a failure of its tool', async () => {
  const stopped = new Error('stopped');
  const controller = new AbortController();
  controller.abort(stopped);

  await expect(callSend(() => Promise.reject(stopped), { signal: controller.signal })).rejects.toBe(stopped);
});
