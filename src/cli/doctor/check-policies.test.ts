import { afterAll, beforeAll, expect, test } from 'vitest';
import { setPolicy } from '#agent/gates/policy-settings.ts';
import { newId } from '#domain/ids.ts';
import type { Situation } from '#domain/thread/origin.ts';
import { openMigratedDatabase } from '../../../test/support/migrated-database.ts';
import { checkPolicies } from './check-policies.ts';

let database: Awaited<ReturnType<typeof openMigratedDatabase>>;

beforeAll(async () => {
  database = await openMigratedDatabase();
});

afterAll(() => database.close());

/** A call of the tool, so many days ago. */
async function call(tool: string, { channel = 'gateway', request = {}, days = 1 }): Promise<void> {
  const [thread, turn] = [newId(), newId()];
  const run = (statement: string, values: unknown[]) => database.everything.query(statement, values);
  await run(`insert into threads (id, user_id, last_seq) values ($1, 'ann', 1)`, [thread]);
  await run(
    `insert into turns (id, thread_id, user_id, seq, status, channel, request) values ($1, $2, 'ann', 1, 'completed', $3, $4)`,
    [turn, thread, channel, JSON.stringify(request)],
  );
  await run(
    `insert into items (thread_id, turn_seq, position, id, turn_id, user_id, body, created_at)
     values ($1, 1, 0, gen_random_uuid(), $2, 'ann', $3, now() - make_interval(days => $4))`,
    [thread, turn, JSON.stringify({ type: 'function_call', name: tool }), days],
  );
}

test('tools at allow that webhooks or missions used are reported with the command, if they ask after text by others', async () => {
  const allow = (tool: string, after: Situation = 'clean') =>
    setPolicy(database.db, { tool, level: 'allow', after }, 'operator');
  for (const tool of ['label_issue', 'nightly', 'talked', 'long_ago', 'unused']) await allow(tool);
  await allow('wide', 'foreign');
  for (const tool of ['label_issue', 'wide', 'unset']) await call(tool, { channel: 'webhook' });
  await call('nightly', { request: { mission: { id: newId() } } });
  await call('talked', {});
  await call('long_ago', { channel: 'webhook', days: 31 });

  const known = ['label_issue', 'nightly', 'talked', 'long_ago', 'unused', 'wide', 'unset'].map((name) => ({ name }));
  const findings = await checkPolicies(database.db, database.everything, known);
  expect(findings.map(({ level, mend }) => [level, /: (reborn policy set .*)$/.exec(mend ?? '')?.[1]])).toEqual([
    ['warning', 'reborn policy set label_issue allow --after foreign'],
    ['warning', 'reborn policy set nightly allow --after foreign'],
  ]);
});
