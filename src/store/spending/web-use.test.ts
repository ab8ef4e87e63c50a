import { expect, onTestFinished, test } from 'vitest';
import { newId, type ThreadId, type TurnId } from '#domain/ids.ts';
import { openMigratedDatabase } from '../../../test/support/migrated-database.ts';
import { withOwner } from '../connection.ts';
import { findUnattendedCalls } from '../system/unattended-calls.ts';
import { readWebUse } from './web-use.ts';

const ann = { userId: 'ann' };

test('searches, pages, costs and the budget are counted, with any characters in the texts', async () => {
  const database = await openMigratedDatabase();
  onTestFinished(() => database.close());
  const thread = newId<ThreadId>();
  const turn = newId<TurnId>();
  const add = (statement: string, values: unknown[]) => database.everything.query(statement, values);
  await add(`insert into threads (id, user_id, last_seq) values ($1, 'ann', 1)`, [thread]);
  await add(
    `insert into turns (id, thread_id, user_id, seq, channel, request, status, attempt)
      values ($1, $2, 'ann', 1, 'webhook', $3, 'completed', 0)`,
    [turn, thread, '{"metadata":"\\u0000"}'],
  );
  const bodies = [
    { type: 'message', role: 'user', content: [{ type: 'text', text: 'null \0 and "costUsd":7' }] },
    call('reborn_research', { searches: 5, pages: 6 }),
    call('reborn_web_search', { query: 'boats \0' }),
    call('reborn_web_fetch', { url: 'https://a.example/' }),
    call('reborn_web_fetch', { find: 'boats' }),
    { type: 'function_call_output', output: '\0 hit', costUsd: 0.005 },
    { type: 'function_call_output', output: [], costUsd: 0.001, callId: 'x' },
  ];
  for (const [position, body] of bodies.entries())
    await add(
      `insert into items (thread_id, turn_seq, position, id, turn_id, user_id, body, started_at)
        values ($1, 1, $2, $3, $4, 'ann', $5, now())`,
      [thread, position, newId(), turn, JSON.stringify(body)],
    );

  const read = () => withOwner(database.db, ann, (trx) => readWebUse(trx, ann, { threadId: thread, run: turn }));
  expect(await read()).toMatchObject({
    ofRun: { searches: 1, pages: 1, usd: expect.closeTo(0.006) },
    research: { searches: 5, pages: 6 },
  });
  const unpriced = { type: 'function_call_output', output: '\0', costUsd: null };
  await add('update items set body = $2 where turn_id = $1 and position = 6', [turn, JSON.stringify(unpriced)]);
  expect((await read()).ofRun.usd).toBeNull();

  const tools = ['reborn_web_fetch', 'reborn_web', 'boats'];
  expect(await findUnattendedCalls(database.everything, { tools, days: 1 })).toEqual(['reborn_web_fetch']);
});

const call = (name: string, given: object) => ({ type: 'function_call', name, arguments: JSON.stringify(given) });
