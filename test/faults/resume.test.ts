import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { textOf } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Cluster, startCluster } from './cluster.ts';

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster();
});

afterEach(() => cluster.forget());

afterAll(() => cluster.close());

const tools = [{ type: 'function', name: 'look' }];
const output = (callId = '') => [{ type: 'function_call_output', call_id: callId, output: 'seen' }];

test('killed between the call and the resume: it works after a restart, and on another replica', async () => {
  const first = await cluster.start();
  const [one, two] = await Promise.all([first.ask('use look {}', { tools }), first.ask('use look {}', { tools })]);
  await first.kill();

  const restarted = await cluster.start();
  const answered = await restarted.ask(output(one.output[0]?.call_id), { previous_response_id: one.id });
  expect(textOf(answered)).toBe('result: seen');
  const another = await cluster.start();
  expect(textOf(await another.ask(output(two.output[0]?.call_id), { previous_response_id: two.id }))).toBe(
    'result: seen',
  );
});

test('killed during the resume: the turn continues, and the answer is not given twice', async () => {
  const [victim, survivor] = await cluster.pair();
  const paused = await victim.ask(
    'use look {}\nuse mark_again {"pause":1000,"ledger":"LEDGER"}'.replace('LEDGER', cluster.ledger.url),
    { tools },
  );
  const resume = { previous_response_id: paused.id, background: true };
  const resumed = await victim.ask(output(paused.output[0]?.call_id), resume);
  await waitFor('the tool behind it to run', async () => cluster.ledger.marks.length === 1);
  await victim.kill();

  const done = await waitFor('the turn to end', async () => {
    const response = await survivor.get(resumed.id);
    return response.status === 'completed' && response;
  });
  expect(textOf(done)).toBe('result: marked');
  const again = await survivor.post({ input: output(paused.output[0]?.call_id), previous_response_id: paused.id });
  expect(again.status).toBe(400);
});
