import { expect, test } from 'vitest';
import type { GateId, ItemId, ThreadId, TurnId } from '../ids.ts';
import type { Gate, GateKind } from '../tool/gate.ts';
import { type FailureCode, isEnded, refusalAt, type Turn, type TurnStatus } from './turn.ts';

const gate = (kind: GateKind): Gate => ({
  id: 'g' as GateId,
  threadId: 't' as ThreadId,
  turnId: 'u' as TurnId,
  kind,
  call: { id: 'i' as ItemId, type: 'function_call', external: false, callId: 'call_7', name: 'look', arguments: '{}' },
});

test.each<[GateKind, FailureCode, says: string]>([
  ['external-tool', 'tool_output_missing', 'call_id "call_7"'],
  ['approval', 'approval_required', 'web UI'],
  ['auth', 'authentication_required', 'web UI'],
  ['pairing', 'pairing_required', 'web UI'],
])('a message at a gate of kind %s is refused as %s', (kind, code, says) => {
  expect(refusalAt(gate(kind))).toEqual({ code, message: expect.stringContaining(says) });
});

test.each<GateKind>(['approval', 'auth', 'pairing'])(
  'the refusal at a gate of kind %s says where the thread can be seen',
  (kind) => {
    expect(refusalAt(gate(kind), 'https://a.example/threads/t').message).toMatch(
      /in the web UI: https:\/\/a\.example\/threads\/t$/,
    );
  },
);

test.each<[TurnStatus, boolean]>([
  ['queued', false],
  ['running', false],
  ['waiting', true],
  ['completed', true],
  ['incomplete', true],
  ['failed', true],
  ['cancelled', true],
])('whether a turn that is %s has ended: %s', (status, ended) => {
  expect(isEnded({ status } as Turn)).toBe(ended);
});
