import { expect, test } from 'vitest';
import type { GateId, ItemId, ThreadId, TurnId } from '#domain/ids.ts';
import { type FunctionCallItem, type Item, type ItemBody, text } from '#domain/thread/item.ts';
import { isAnswered } from '#domain/thread/pending-calls.ts';
import type { Gate, NewGate } from '#domain/tool/gate.ts';
import { runTurn, type TurnSteps } from './run-turn.ts';

const user: ItemBody = { type: 'message', role: 'user', content: [text('hi')], status: 'completed' };
const reply: ItemBody = { type: 'message', role: 'assistant', content: [text('hello')], status: 'completed' };
const call = (name: string): ItemBody => ({
  type: 'function_call',
  external: false,
  callId: `call_${name}`,
  name,
  arguments: '{}',
});
const output = (callId: string): ItemBody => ({ type: 'function_call_output', callId, output: [text('done')] });

const position = {
  id: 'i' as ItemId,
  threadId: 't' as ThreadId,
  turnId: 'u' as TurnId,
  position: 0,
  usage: null,
  startedAt: null,
};
const item = (body: ItemBody, attempt: number | null = 0, turnSeq = 2): Item => ({
  ...position,
  ...body,
  attempt,
  turnSeq,
});
const gate = ({ callId, name }: Pick<FunctionCallItem, 'callId' | 'name'>): NewGate => ({
  id: 'g' as GateId,
  kind: 'external-tool',
  call: { id: 'i' as ItemId, type: 'function_call', external: false, callId, name, arguments: '{}' },
});

/** Steps of a turn whose model gives `answers`, one after the other, and the last one repeatedly. Tools named `their_*` are the caller's. */
function fakeSteps(answers: ItemBody[][], history: Item[] = [item(user, null)]) {
  const done: string[] = [];
  const asked: string[][] = [];
  const steps: TurnSteps = {
    isAnswered: (seen) => isAnswered(2, seen),
    loadHistory: async () => [...history],
    gateAhead: null,
    isSteered: () => false,
    isDelegated: () => false,
    takeReports: async () => [],
    async askModel(seen) {
      done.push('ask');
      asked.push(seen.map(({ type }) => type));
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      return (answer ?? []).map((body) => item(body));
    },
    async decide(made) {
      if (made.name.startsWith('their_')) return { kind: 'gate', gate: gate(made) };
      if (made.name.startsWith('bad_')) return { kind: 'forbidden' };
      return {
        kind: 'allowed',
        tool: undefined,
        secretsOf: { userId: 'ann' },
        approval: undefined,
        situation: 'clean',
      };
    },
    async callTool(made, { kind }) {
      done.push(kind === 'allowed' ? made.name : `${kind} ${made.name}`);
      return [item(output(made.callId))];
    },
  };
  return { steps, done, asked };
}

test('a turn asks the model, and is completed by its reply', async () => {
  const { steps, done } = fakeSteps([[reply]]);

  expect(await runTurn(steps)).toEqual({ status: 'completed' });
  expect(done).toEqual(['ask']);
});

test('a reply that was cut short leaves the turn incomplete', async () => {
  const { steps } = fakeSteps([[{ ...reply, status: 'incomplete' }]]);

  expect(await runTurn(steps)).toEqual({ status: 'incomplete' });
});

test('a message behind a gate is refused, and nothing is run', async () => {
  const { steps, done } = fakeSteps([[reply]]);
  const ahead: Gate = {
    threadId: 't' as ThreadId,
    turnId: 'u' as TurnId,
    ...gate({ callId: 'call_7', name: 'their_look' }),
  };

  expect(await runTurn({ ...steps, gateAhead: ahead })).toEqual({
    status: 'failed',
    failure: { code: 'tool_output_missing', message: expect.stringContaining('call_7') },
    refused: true,
  });
  expect(done).toEqual([]);
});

test('a call that is forbidden does not hold up the turn', async () => {
  const { steps, done } = fakeSteps([[call('bad_send'), call('own')], [reply]]);

  expect(await runTurn(steps)).toEqual({ status: 'completed' });
  expect(done).toEqual(['ask', 'forbidden bad_send', 'own', 'ask']);
});

test("the agent's own calls are run in order, and the model is asked again when all have results", async () => {
  const { steps, done, asked } = fakeSteps([[reply, call('b'), call('a')], [call('c')], [reply]]);

  expect(await runTurn(steps)).toEqual({ status: 'completed' });
  expect(done).toEqual(['ask', 'b', 'a', 'ask', 'c', 'ask']);
  expect(asked[1]).toEqual([
    'message',
    'message',
    'function_call',
    'function_call',
    'function_call_output',
    'function_call_output',
  ]);
});

test('the turn waits at the first external call, and calls after it are not run', async () => {
  const { steps, done } = fakeSteps([[call('own'), call('their_first'), call('own_too'), call('their_second')]]);

  expect(await runTurn(steps)).toEqual({
    status: 'waiting',
    gate: gate({ callId: 'call_their_first', name: 'their_first' }),
  });
  expect(done).toEqual(['ask', 'own']);
});

test('the turn waits at an external call only when its children have reported', async () => {
  const calls = [item(call('child')), item({ ...call('their_first'), external: true } as ItemBody)];
  const ended: Item[] = [];
  const { steps } = fakeSteps([[]], [item(user, null), ...calls]);
  const delegating: TurnSteps = {
    ...steps,
    isDelegated: ({ name }) => name === 'child',
    takeReports: async () => ended.splice(0),
  };

  expect(await runTurn(delegating)).toEqual({ status: 'parked' });
  ended.push(item(output('call_child')));
  expect(await runTurn(delegating)).toMatchObject({ status: 'waiting', gate: { kind: 'external-tool' } });
});

test('a resume gets the next external call without asking the model', async () => {
  const earlier = [item(user, null, 1), item(call('their_a'), 0, 1), item(call('their_b'), 0, 1)];
  const { steps, done } = fakeSteps([[reply]], [...earlier, item(output('call_their_a'), null)]);

  expect(await runTurn(steps)).toEqual({ status: 'waiting', gate: gate({ callId: 'call_their_b', name: 'their_b' }) });
  expect(done).toEqual([]);
});

test('a resume that answers the last call asks the model', async () => {
  const earlier = [item(user, null, 1), item(call('their_a'), 0, 1)];
  const { steps, done } = fakeSteps([[reply]], [...earlier, item(output('call_their_a'), null)]);

  expect(await runTurn(steps)).toEqual({ status: 'completed' });
  expect(done).toEqual(['ask']);
});

test('a turn that was interrupted after its reply is not answered twice', async () => {
  const { steps, done } = fakeSteps([[reply]], [item(user, null), item(reply)]);

  expect(await runTurn(steps)).toEqual({ status: 'completed' });
  expect(done).toEqual([]);
});

test('a turn that was interrupted during a tool call continues there', async () => {
  const { steps, done } = fakeSteps([[reply]], [item(user, null), item(call('own'))]);

  expect(await runTurn(steps)).toEqual({ status: 'completed' });
  expect(done).toEqual(['own', 'ask']);
});

test('a model that never answers is stopped after 50 rounds', async () => {
  const { steps, done } = fakeSteps([[call('again')]]);

  expect(await runTurn(steps)).toEqual({
    status: 'failed',
    failure: { code: 'max_rounds', message: expect.stringContaining('50') },
  });
  expect(done.filter((step) => step === 'ask')).toHaveLength(50);
  expect(done.filter((step) => step === 'again')).toHaveLength(50);
});

test('an answer in the fiftieth round still counts', async () => {
  const { steps } = fakeSteps([...Array.from({ length: 49 }, () => [call('again')]), [reply]]);

  expect(await runTurn(steps)).toEqual({ status: 'completed' });
});

test('an error in a step ends the turn', async () => {
  const { steps } = fakeSteps([[call('own')]]);
  const broken = { ...steps, callTool: () => Promise.reject(new Error('taken over')) };

  await expect(runTurn(broken)).rejects.toThrow('taken over');
});
