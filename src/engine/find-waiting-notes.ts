import type { UserId } from '#domain/principal.ts';
import type { EnginePool } from './engine-connection.ts';

/** Whose notes wait for a vector of this model now. Only the names: the notes are read as their owner. */
export async function findOwnersOfWaitingNotes(pool: EnginePool, model: string): Promise<UserId[]> {
  const { rows } = await pool.query<{ userId: UserId }>(
    // Two ranges, because an index knows no "other than".
    `select distinct user_id as "userId" from notes
     where (embedding_model < $1 or embedding_model > $1) and embed_due_at <= now() limit 100`,
    [model],
  );
  return rows.map(({ userId }) => userId);
}
