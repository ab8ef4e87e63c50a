import type { UserId } from '#domain/principal.ts';
import type { SystemConnection } from './system-connection.ts';

/** How many vectors of this model a user has, and the length of the newest. */
export type ManyNotes = { readonly userId: UserId; readonly count: number; readonly dimensions: number };

/** The users with at least this many vectors, largest count first. Reads nothing of the notes themselves. */
export async function findManyNotes(
  system: SystemConnection,
  { model, least, limit }: { model: string; least: number; limit: number },
): Promise<ManyNotes[]> {
  const { rows } = await system.query<ManyNotes>(MANY, [model, least, limit]);
  return rows;
}

const MANY = `
  select user_id as "userId", count, dimensions
  from (
    select user_id, count(*)::integer as count from notes where embedding_model = $1
    group by user_id having count(*) >= $2 order by count desc, user_id limit $3
  ) as many, lateral (
    select length(signature) as dimensions from notes
    where embedding_model = $1 and notes.user_id = many.user_id order by embed_due_at desc limit 1
  ) as newest
  order by count desc, user_id`;

/** The users whose notes wait for a vector of this model. Only their IDs: the notes are read as their owner. */
export async function findOwnersOfWaitingNotes(system: SystemConnection, model: string): Promise<UserId[]> {
  const { rows } = await system.query<{ userId: UserId }>(
    // Two ranges, because an index can't serve "other than".
    `select distinct user_id as "userId" from notes
     where (embedding_model < $1 or embedding_model > $1) and embed_due_at <= now() limit 100`,
    [model],
  );
  return rows.map(({ userId }) => userId);
}
