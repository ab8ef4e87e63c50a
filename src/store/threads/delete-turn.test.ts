import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AttachmentHash, newId, type ThreadId } from '#domain/ids.ts';
import { type NewItem, text } from '#domain/thread/item.ts';
import { openMigratedDatabase } from '../../../test/support/migrated-database.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { type OwnedTransaction, withOwner } from '../connection.ts';
import { insertAttachment, touchAttachments } from './attachments.ts';
import { deleteItem } from './delete-turn.ts';
import { listItemsFrom } from './thread-items.ts';
import { countBytes, deleteThread, insertThread, takeNextPosition } from './threads.ts';
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

const hashes = ['a', 'b', 'c'].map((digit) => digit.repeat(64) as AttachmentHash);
const [, middle] = hashes;

type Used = readonly AttachmentHash[];

/** A thread whose items use these attachments, in this order. */
async function insertThreadUsing(used: Used, parent: ThreadId | null = null): Promise<ThreadId> {
  const id = newId<ThreadId>();
  await withOwner(database.db, ann, (trx) => insertThread(trx, ann, { id, lastSeq: 0 }));
  await database.everything.query('update threads set parent = $2, root = $2 where id = $1', [id, parent]);
  for (const hash of used)
    await database.everything.query(
      'insert into attachment_uses (item_id, sha256, thread_id, user_id) values ($1, $2, $3, $4)',
      [newId(), hash, id, ann.userId],
    );
  return id;
}

async function insertFiles(thread: ThreadId, used: Used): Promise<void> {
  await database.everything.query('insert into workspaces (id, user_id, thread_id) values ($1, $2, $1)', [
    thread,
    ann.userId,
  ]);
  for (const hash of used)
    await database.everything.query(
      `insert into workspace_files (workspace_id, path, version, user_id, sha256, bytes, mode) values ($1, $2, 1, $3, $2, 1, 420)`,
      [thread, hash, ann.userId],
    );
}

type Prepare = (used: Used) => Promise<(trx: OwnedTransaction) => Promise<unknown>>;

const deletionOf: Prepare = async (used) => {
  const thread = await insertThreadUsing(used);
  return (trx) => deleteThread(trx, ann, thread);
};
const deletionWithFiles: Prepare = async ([first, ...others]) => {
  const thread = await insertThreadUsing(first ? [first] : []);
  await insertFiles(thread, others);
  return (trx) => deleteThread(trx, ann, thread);
};
const deletionWithSubagent: Prepare = async ([first, ...others]) => {
  const thread = await insertThreadUsing(first ? [first] : []);
  await insertThreadUsing(others, thread);
  return (trx) => deleteThread(trx, ann, thread);
};
const mentionOf: Prepare = async (used) => (trx) => touchAttachments(trx, ann, used);

test.for<[string, Prepare, Prepare]>([
  ['two threads are deleted', deletionOf, deletionOf],
  ['a message mentions files and a thread is deleted', mentionOf, deletionOf],
  ['a thread is deleted and a message mentions files', deletionOf, mentionOf],
  ['two threads with files of their own are deleted', deletionWithFiles, deletionWithFiles],
  ['a message mentions files and a thread with files of its own is deleted', mentionOf, deletionWithFiles],
  ['two threads with subagents are deleted', deletionWithSubagent, deletionWithSubagent],
  ['a message mentions files and a thread with a subagent is deleted', mentionOf, deletionWithSubagent],
])('%s at the same time, with the same files in opposite order', async ([_name, prepare, prepareOther]) => {
  for (const hash of hashes.toReversed())
    await withOwner(database.db, ann, (trx) => insertAttachment(trx, ann, hash, Buffer.from('x')));
  const first = await prepare(hashes);
  const second = await prepareOther(hashes.toReversed());
  await using holder = await database.everything.connect().then((client) => ({
    query: client.query.bind(client),
    [Symbol.asyncDispose]: async () => client.release(),
  }));
  await holder.query('begin');
  await holder.query('select from attachments where user_id = $1 and sha256 = $2 for update', [ann.userId, middle]);

  // Each has then locked what it locks before the first file that it waits for.
  const acts = [];
  for (const act of [first, second]) {
    const acting = withOwner(database.db, ann, act);
    acting.catch(() => {});
    acts.push(acting);
    await waitFor(`${acts.length} to wait`, async () => {
      const { rows } = await database.everything.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows.length === acts.length;
    });
  }
  await holder.query('commit');
  await expect(Promise.all(acts)).resolves.toHaveLength(2);
});
