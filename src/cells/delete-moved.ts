import type { UserId } from '#domain/principal.ts';
import type { MoveClient } from './move-client.ts';

const THREADS = 100;
const ROWS = 5000;

/** Deletes what is left of a user who has left, in short statements. */
export async function deleteMoved(client: MoveClient, subject: UserId, moveId: string): Promise<void> {
  while (await deleteThreads(client, subject));
  const { rows } = await client.query<{ name: string }>(OWNED);
  for (const { name } of rows) while (await deleteRows(client, name, subject));
  await inTransaction(client, async () => {
    await client.query('delete from pairings where paired_user_id = $1', [subject]);
    await client.query('delete from project_members where member = $1', [subject]);
    await client.query(
      `delete from settings where starts_with(name, 'tool_policy:') and right(name, length($1) + 1) = '@' || $1`,
      [subject],
    );
    await client.query('delete from tokens where user_id = $1', [subject]);
    await client.query('delete from users where id = $1', [subject]);
    await client.query(`update user_moves set state = 'gone' where id = $1`, [moveId]);
  });
}

/** Deletes the rows that name objects in the bucket, but not the objects: they belong to the other cell now. Needs a transaction. */
export async function handOverObjects(client: MoveClient, subject: UserId): Promise<void> {
  await client.query('delete from attachments where user_id = $1 and object_key is not null', [subject]);
  // Those that the trigger has just listed for removal: in a transaction, now() is its start.
  await client.query('delete from unused_objects where user_id = $1 and due_at = now()', [subject]);
}

/** The parts of a thread are deleted with it. Returns whether there was one. */
async function deleteThreads(client: MoveClient, subject: UserId): Promise<boolean> {
  return inTransaction(client, async () => {
    const { rows } = await client.query<{ id: string }>(
      'select id from threads where user_id = $1 order by id limit $2 for no key update',
      [subject, THREADS],
    );
    const ids = rows.map(({ id }) => id);
    await client.query('select from turns where thread_id = any($1) order by id for update', [ids]);
    await client.query('delete from items where thread_id = any($1)', [ids]);
    await client.query('delete from threads where id = any($1)', [ids]);
    return ids.length > 0;
  });
}

async function deleteRows(client: MoveClient, name: string, subject: UserId): Promise<boolean> {
  const { rowCount } = await client.query(
    `delete from ${name} where ctid = any(array(select ctid from ${name} where user_id = $1 limit ${ROWS}))`,
    [subject],
  );
  return (rowCount ?? 0) > 0;
}

export async function inTransaction<T>(client: MoveClient, act: () => Promise<T>): Promise<T> {
  await client.query('begin');
  try {
    const result = await act();
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => {}); // the first error is the one to report
    throw error;
  }
}

// Tables that refer to others come first.
const OWNED = `
  select quote_ident(relname) as name from pg_class as tables
  where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
    and relname not in ('threads', 'items', 'unused_objects', 'tokens')
    and exists (select from pg_attribute where attrelid = tables.oid and attname = 'user_id' and not attisdropped)
    and not exists (
      select from pg_constraint where contype = 'f' and conrelid = tables.oid and confrelid in ('threads'::regclass, 'gates'::regclass))
  order by exists (select from pg_constraint where contype = 'f' and conrelid = tables.oid) desc, relname`;
