import type { Bucket } from '#domain/bucket.ts';
import type { ObjectKey } from '#domain/ids.ts';
import type { UserId } from '#domain/principal.ts';
import type { EnginePool } from '#engine/engine-connection.ts';

/** How many objects are removed at once. */
const AT_ONCE = 10;
/** When an object is tried again that could not be removed. */
const RETRY_SECONDS = 300;

/** Removes the objects that are due. Throws when one can't be removed; it is tried again later. */
export async function removeDueObjects(pool: EnginePool, bucket: Bucket, isElected: () => boolean): Promise<void> {
  while (isElected()) {
    const keys = await take(pool, DUE, 'skip locked', []);
    if (keys.length === 0) return;
    await remove(pool, bucket, keys, FORGET, []);
  }
}

/** Removes all unused objects of the user of an erasure, and counts them for the certificate. */
export async function eraseObjects(
  pool: EnginePool,
  bucket: Bucket | undefined,
  erasure: string,
  subject: UserId,
): Promise<void> {
  for (;;) {
    const keys = await take(pool, 'user_id = $2', '', [subject]);
    if (keys.length === 0) return;
    if (!bucket) throw new Error('Attachments of this user are in a bucket, but ATTACHMENTS_BUCKET is not set.');
    await remove(pool, bucket, keys, FORGET_AND_COUNT, [erasure]);
  }
}

/** From now on no attachment can refer to these objects. */
async function take(
  pool: EnginePool,
  which: string,
  locked: 'skip locked' | '',
  values: readonly unknown[],
): Promise<ObjectKey[]> {
  const { rows } = await pool.query<{ key: ObjectKey }>(
    `update unused_objects set is_removing = true where object_key = any (array(
       select object_key from unused_objects where ${which} order by due_at, object_key limit $1 for update ${locked}))
     returning object_key as key`,
    [AT_ONCE, ...values],
  );
  return rows.map(({ key }) => key);
}

/** A process that dies in between has left the rows, so that the objects are removed again. */
async function remove(
  pool: EnginePool,
  bucket: Bucket,
  keys: readonly ObjectKey[],
  forget: string,
  values: readonly unknown[],
): Promise<void> {
  const outcomes = await Promise.allSettled(keys.map((key) => bucket.remove(key)));
  const isGone = (_: ObjectKey, index: number) => outcomes[index]?.status === 'fulfilled';
  await pool.query(forget, [keys.filter(isGone), ...values]);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (!failed) return;
  await pool.query(
    `update unused_objects set due_at = now() + make_interval(secs => $2) where object_key = any($1::text[])`,
    [keys, RETRY_SECONDS],
  );
  throw new Error('An attachment could not be removed from the bucket. It is tried again later.', {
    cause: failed.reason,
  });
}

// An erasure removes the objects of its user, and counts them.
const DUE = `due_at <= now() and not exists (
  select from erasures where subject = unused_objects.user_id and completed_at is null)`;
const FORGET = 'delete from unused_objects where object_key = any($1::text[])';
const FORGET_AND_COUNT = `
  with gone as (${FORGET} returning 1)
  select count_erased($2::uuid, 'objects in the bucket', (select count(*) from gone))`;
