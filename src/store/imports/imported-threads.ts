import { sql } from 'kysely';
import { newId, type ThreadId, type TurnId } from '#domain/ids.ts';
import type { NewItem } from '#domain/thread/item.ts';
import type { TurnRequest } from '#domain/thread/turn.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';
import { insertEndedTurn } from '../threads/turns.ts';

export type ImportedThread = {
  readonly id: ThreadId;
  readonly title: string | null;
  readonly archived: boolean;
  readonly opening: string;
  readonly preview: string;
  readonly bytes: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly said: readonly { readonly item: NewItem; readonly at: Date }[];
};

/**
 * Creates a thread with what was said elsewhere, at the times when it was said, as the input of one finished turn. Returns
 * false if the thread exists.
 */
export async function insertImportedThread(
  trx: OwnedTransaction,
  owner: Owner,
  { said, ...thread }: ImportedThread,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows: inserted } = await trx
    .insertInto('threads')
    .values({ ...thread, bytes: String(thread.bytes), userId: owner.userId, lastSeq: 1, catalog: '[]' })
    .onConflict((existing) => existing.column('id').doNothing())
    .executeTakeFirst();
  if (inserted !== 1n) return false;
  const turn = { id: newId<TurnId>(), threadId: thread.id, seq: 1, channel: 'gateway' as const, request: REQUEST };
  await insertEndedTurn(
    trx,
    owner,
    turn,
    said.map(({ item }) => item),
  );
  const times = sql`unnest(${said.map(({ item }) => item.id)}::uuid[], ${said.map(({ at }) => at)}::timestamptz[])`;
  await sql`
    with said as (select * from ${times} as said (id, at)), dated as (
      update items set created_at = at from said where items.id = said.id and user_id = ${owner.userId})
    update item_texts set created_at = at from said where item_id = said.id and user_id = ${owner.userId}`.execute(trx);
  return true;
}

const REQUEST: TurnRequest = { model: null, temperature: null, tools: [], echo: {} };
