import type { Output } from '@reborn-agent/client/thread-state';
import type { CallEntry } from '@reborn-agent/client/turn-entries';
import { expect, test } from 'vitest';
import type { Step } from '../rows.ts';
import { piecesOf } from './step-pieces.ts';

const step = (id: string, output: Partial<Output> | undefined = {}, name = 'read'): Step => ({
  call: { kind: 'call', id, callId: id, name, arguments: '{"code":"1"}' } as CallEntry,
  output: output as Output,
  waits: false,
});
const shown = (steps: readonly Step[], followed = true) =>
  piecesOf(steps, followed).map((piece) =>
    'steps' in piece
      ? `${piece.kind === 'fold' ? '' : `${piece.kind} `}${piece.steps.map(({ call }) => call.id).join('+')}`
      : `${piece.kind} ${piece.step.call.id}`,
  );

test('finished steps fold to one line when text follows, and one step stays as it is', () => {
  expect(shown([step('a'), step('b')])).toEqual(['a+b']);
  expect(shown([step('a'), step('b')], false)).toEqual(['step a', 'step b']);
  expect(shown([step('a')])).toEqual(['step a']);
});

test('steps that run, code, and calls that were asked about never fold', () => {
  const decided = step('c', { decided: { answer: 'approved', by: 'owner' } });
  const code = step('d', {}, 'reborn_python');
  const runs: Step = { ...step('e'), output: undefined };
  expect(shown([step('a'), step('b'), decided, code, step('f'), runs, step('g'), step('h')])).toEqual([
    'a+b',
    'step c',
    'code d',
    'step f',
    'step e',
    'g+h',
  ]);
});

test('subagents that were started together stand together, also when text follows', () => {
  const agent = (id: string): Step => ({ ...step(id, {}, 'reborn_agent_run'), subagents: [] });
  expect(shown([step('a'), agent('b'), agent('c'), step('d'), agent('e')])).toEqual([
    'step a',
    'subagents b+c',
    'step d',
    'subagents e',
  ]);
});
