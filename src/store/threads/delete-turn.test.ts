import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId, type ThreadId } from '#domain/ids.ts';
import { type NewItem, text } from '#domain/thread/item.ts';
import { openMigratedDatabase } from '../../../test/support/migrated-database.ts';
import { withOwner } from '../connection.ts';
import { deleteItem } from './delete-turn.ts';
import { listItemsFrom } from './thread-items.ts';
import { countBytes, insertThread, takeNextPosition } from './threads.ts';
import { insertEndedTurn } from './turns.ts';

const ann = { userId: 'ann' };
const request = { model: null, temperature: null, tools: [], echo: {} };
let database: Awaited<ReturnType<typeof openMigratedDatabase>>;

beforeAll(async () => {
  database = await openMigratedDatabase();
});

afterAll(() => database.close());

test('a deleted item leaves no copy of its text, and its size no longer counts', async () => {
  const threadId = newId<ThreadId>();
  const items = ['first', 'second', 'third'].map(
    (said): NewItem => ({
      id: newId(),
      type: 'message',
      role: 'user',
      content: [text(said)],
      status: 'completed',
    }),
  );
  await withOwner(database.db, ann, async (trx) => {
    await insertThread(trx, ann, { id: threadId, lastSeq: 0 });
    await takeNextPosition(trx, ann, threadId, null, { preview: 'second', bytes: 1000 });
    await insertEndedTurn(trx, ann, { id: newId(), threadId, seq: 1, channel: 'responses', request }, items);
  });
  for (const seq of [0, 1, 2])
    await database.everything.query(
      `insert into summaries (thread_id, through_seq, through_position, user_id, turn_seq, turn_id, text, provider, model, usage)
       values ($1, $2, 0, 'ann', 1, $1, 'x', 'p', 'm', '{}')`,
      [threadId, seq],
    );
  const list = () =>
    withOwner(database.db, ann, (trx) =>
      listItemsFrom(trx, ann, threadId, { from: undefined, order: 'asc', limit: 9 }),
    );
  const [, second] = await list();

  const bytes = await withOwner(database.db, ann, async (trx) => {
    if (second) await deleteItem(trx, ann, second);
    return countBytes(trx, ann, threadId);
  });

  expect((await list()).map(({ position }) => position)).toEqual([0, 2]);
  expect(bytes).toBeLessThan(1000);
  const { rows: summaries } = await database.everything.query('select through_seq from summaries');
  expect(summaries).toEqual([{ through_seq: 0 }]);
  const { rows: threads } = await database.everything.query('select opening, preview from threads');
  expect(threads).toEqual([{ opening: 'first', preview: 'third' }]);
});
