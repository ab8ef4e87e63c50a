import type { AttachmentHash } from '#domain/ids.ts';
import type { UserId } from '#domain/principal.ts';
import { type DocumentKind, EXTRACTOR } from '#domain/workspace/document.ts';
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

/** The users whose notes or passages wait for a vector of this model. Only their IDs: the texts are read as their owner. */
export async function findOwnersOfWaiting(
  system: SystemConnection,
  table: 'notes' | 'passages',
  model: string,
): Promise<UserId[]> {
  const { rows } = await system.query<{ userId: UserId }>(
    // Two ranges, because an index can't serve "other than".
    `select distinct user_id as "userId" from ${table}
     where (embedding_model < $1 or embedding_model > $1) and embed_due_at <= now() limit 100`,
    [model],
  );
  return rows.map(({ userId }) => userId);
}

/** A document whose text this replica is to read. */
export type WaitingDocument = {
  readonly number: string;
  readonly userId: UserId;
  readonly sha256: AttachmentHash;
  readonly kind: DocumentKind;
  /** How often it was taken, this time included. */
  readonly attempts: number;
};

/** Leases documents that no program of this version has read. Those whose replica dies are due again after three minutes. */
export async function takeWaitingDocuments(system: SystemConnection, limit: number): Promise<WaitingDocument[]> {
  const { rows } = await system.query<WaitingDocument>(TAKE, [EXTRACTOR, limit]);
  return rows;
}

const TAKE = `
  with due as materialized (
    select number from documents where extractor < $1 and due_at <= now() order by due_at limit $2 for update skip locked
  )
  update documents set attempts = attempts + 1, due_at = now() + interval '3 minutes'
  from due where documents.number = due.number
  returning documents.number, user_id as "userId", sha256, kind, attempts`;
