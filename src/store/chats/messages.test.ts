import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId, type ThreadId, type TurnId } from '#domain/ids.ts';
import { openMigratedDatabase } from '../../../test/support/migrated-database.ts';
import { withOwner } from '../connection.ts';
import { claimMessage, passMessage, recordMessage } from './messages.ts';

let database: Awaited<ReturnType<typeof openMigratedDatabase>>;
beforeAll(async () => {
  database = await openMigratedDatabase();
});
afterAll(() => database.close());

const ann = { userId: 'ann' };
const once = { final: false, seconds: 20 };

test('the placeholder of a steered turn becomes the message of the turn that continues', async () => {
  const [thread, first, next] = [newId<ThreadId>(), newId<TurnId>(), newId<TurnId>()];
  await database.everything.query(`insert into threads (id, user_id, last_seq) values ($1, 'ann', 2)`, [thread]);
  for (const [seq, id] of [first, next].entries())
    await database.everything.query(
      `insert into turns (id, thread_id, user_id, seq, channel, request, steered_by) values ($1, $2, 'ann', $3, 'telegram', '{}', $4)`,
      [id, thread, seq + 1, id === first ? next : null],
    );
  const states = await withOwner(database.db, ann, async (trx) => {
    await claimMessage(trx, ann, { key: first, part: 0 }, once);
    await recordMessage(trx, ann, { key: first, part: 0 }, 'm1');
    await passMessage(trx, ann, first);
    await passMessage(trx, ann, first); // the delivery is tried again
    return [
      await claimMessage(trx, ann, { key: first, part: 0 }, once),
      await claimMessage(trx, ann, { key: next, part: 0 }, once),
    ];
  });
  expect(states).toMatchObject([{ isFinal: true }, { remoteId: 'm1', isFinal: false, isMine: false }]);
});
