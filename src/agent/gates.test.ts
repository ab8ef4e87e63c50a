import { expect, test } from 'vitest';
import type { Gate, GateKind } from '#domain/gate.ts';
import type { FunctionCallItem } from '#domain/item.ts';
import { createRegistry } from '#tools/registry.ts';
import { checkAnswer, gateFor } from './gates.ts';

const place = { threadId: 't', turnId: 'u', position: 0, usage: null, startedAt: null, attempt: 0 };
const call = (name: string): FunctionCallItem => ({
  ...place,
  id: 'i',
  type: 'function_call',
  external: false,
  callId: 'call_1',
  arguments: '{"a": 1}',
  name,
  turnSeq: 2,
});
const gate = (kind: GateKind): Gate => ({ id: 'g', threadId: 't', turnId: 'u', kind, call: call('look') });

const owner = { userId: 'ann' };
const tools = (needsSignIn: boolean) =>
  createRegistry([
    {
      definition: { name: 'look', description: null, parameters: null, strict: null },
      repeatable: true,
      needsSignIn: async ({ userId }) => userId === 'ann' && needsSignIn,
      call: async () => '',
    },
  ]).current();

test("a call that is the caller's to make opens an external gate", async () => {
  const made = { ...call('look'), external: true };

  expect(await gateFor(made, owner, await tools(true))).toEqual({ kind: 'external-tool', call: made });
});

test('a call of a tool to which its owner has yet to sign in opens an auth gate', async () => {
  expect(await gateFor(call('look'), owner, await tools(true))).toEqual({ kind: 'auth', call: call('look') });
});

test('any other call needs no gate', async () => {
  expect(await gateFor(call('look'), owner, await tools(false))).toBeUndefined();
  expect(await gateFor(call('elsewhere'), owner, await tools(true))).toBeUndefined();
});

test('the call_id of the pending call opens the gate', () => {
  const open = gate('external-tool');

  expect(checkAnswer(open, ['call_1'])).toBe(open);
});

test.each([[[]], [['call_2']], [['']], [['call_1', 'call_1']], [['call_1', 'call_2']], [['call_2', 'call_1']]])(
  'the answers %j are refused, and the pending call_id is named',
  (callIds) => {
    expect(() => checkAnswer(gate('external-tool'), callIds)).toThrow(
      expect.objectContaining({
        name: 'InvalidRequest',
        code: 'call_id_mismatch',
        param: 'input.call_id',
        message: expect.stringContaining('"call_1"'),
      }),
    );
  },
);

test('an answer to a thread that waits for nothing is refused', () => {
  expect(() => checkAnswer(undefined, ['call_1'])).toThrow(
    expect.objectContaining({ name: 'InvalidRequest', code: 'no_pending_call', param: 'input' }),
  );
});

test.each<[GateKind, says: string]>([
  ['approval', 'an approval'],
  ['auth', 'a sign-in'],
  ['pairing', 'paired'],
])('an answer to a thread at a gate of kind %s is refused, and says what it waits for', (kind, says) => {
  expect(() => checkAnswer(gate(kind), ['call_1'])).toThrow(
    expect.objectContaining({ code: 'no_pending_call', param: 'input', message: expect.stringContaining(says) }),
  );
});
