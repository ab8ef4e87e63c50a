import type { Bucket } from '#domain/bucket.ts';
import type { UserId } from '#domain/principal.ts';
import type { EnginePool } from '#engine/engine-connection.ts';
import { removeDueObjects } from './remove-objects.ts';

/** How many rows one statement looks at. */
const PIECE = 100;
const LIGHT_PIECE = 2000;
/** An upload is followed by its turn within minutes. */
const GRACE_MS = 3_600_000;

export type SweepOptions = {
  /** Where attachments are besides PostgreSQL. */
  readonly bucket?: Bucket | undefined;
  readonly graceMs?: number | undefined;
  readonly everyMs?: number | undefined;
};

/** Deletes expired containers and vector stores, and the attachments that no item, no workspace and no upload has used for a while: first their rows, then their objects in the bucket. */
export async function sweepAttachments(
  pool: EnginePool,
  { graceMs = GRACE_MS, bucket }: SweepOptions,
  isElected: () => boolean,
): Promise<void> {
  for (const expire of EXPIRE) await pool.query(expire);
  while (isElected() && (await sweepPiece(pool, graceMs)) >= PIECE);
  if (bucket) await removeDueObjects(pool, bucket, isElected);
}

async function sweepPiece(pool: EnginePool, graceMs: number): Promise<number> {
  const { rows } = await pool.query<{ looked: number }>(SWEEP, [PIECE, graceMs]);
  return rows[0]?.looked ?? 0;
}

/** Containers that have expired, whose files become idle attachments; vector stores, and what no one waits for any more. */
const EXPIRE = [
  `delete from workspaces
   where expires_minutes is not null and last_active_at <= now() - make_interval(mins => expires_minutes)`,
  `delete from vector_stores
   where expires_days is not null and last_active_at <= now() - make_interval(days => expires_days)`,
  `delete from vector_store_batches where created_at < now() - interval '30 days'`,
];

// The rows are locked before their uses are looked at: a new upload of the same bytes waits, and then stores them again.
const SWEEP = `
  with idle as materialized (
    select user_id, sha256 from attachments where idle_since < now() - make_interval(secs => $2::float8 / 1000)
    order by idle_since limit $1 for update skip locked
  ), judged as materialized (
    select idle.*, exists (
      select from attachment_uses as used where used.user_id = idle.user_id and used.sha256 = idle.sha256) or exists (
      select from workspace_files as file where file.user_id = idle.user_id and file.sha256 = idle.sha256) or exists (
      select from uploaded_files as upload where upload.user_id = idle.user_id and upload.sha256 = idle.sha256) as is_used
    from idle
  ), kept as (
    update attachments set idle_since = null from judged
    where is_used and attachments.user_id = judged.user_id and attachments.sha256 = judged.sha256
  ), gone as (
    delete from attachments using judged
    where not is_used and attachments.user_id = judged.user_id and attachments.sha256 = judged.sha256
  )
  select count(*)::integer as looked from judged`;

/** Deletes all attachments, workspaces, vector stores and uploads of the user of an erasure, few at a time because they are large, and counts them for the certificate. */
export async function eraseAttachments(pool: EnginePool, erasure: string, subject: UserId): Promise<void> {
  for (const table of TABLES) {
    const erase = () =>
      pool.query<{ gone: string }>(eraseFrom(table), [erasure, subject, table === 'attachments' ? PIECE : LIGHT_PIECE]);
    while (Number((await erase()).rows[0]?.gone ?? 0) > 0);
  }
}

const TABLES = [
  'workspace_files',
  'workspace_versions',
  'workspaces',
  'vector_store_batches',
  'vector_store_files',
  'vector_stores',
  'uploaded_files',
  'document_words',
  'passages',
  'documents',
  'attachments',
  'attachment_uses',
];

const eraseFrom = (table: string) => `
  with gone as (
    delete from ${table} where ctid = any (array(
      select ctid from ${table} where user_id = $2 limit $3 for update skip locked))
    returning 1
  )
  select count_erased($1::uuid, '${table}', (select count(*) from gone)) as gone`;
