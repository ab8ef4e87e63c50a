import type { Config } from '#config/config.ts';
import { ConfigError } from '#config/config-error.ts';
import type { Bucket } from '#domain/bucket.ts';
import { connectEngine } from '#engine/engine-connection.ts';
import { openBucket } from '#store/bucket.ts';
import { countObjects } from '#store/system/bucket-objects.ts';

type Connection = Parameters<typeof connectEngine>[0];

/** The bucket of the settings, if there is one. Throws when attachments are in a bucket that the settings do not name. */
export async function openConfiguredBucket(
  { attachmentsBucket }: Config,
  connection: Connection,
  undo: AsyncDisposableStack,
): Promise<Bucket | undefined> {
  if (attachmentsBucket) {
    const bucket = openBucket(attachmentsBucket);
    undo.defer(() => bucket.close());
    return bucket;
  }
  const pool = connectEngine({ ...connection, max: 1 }, () => {}); // a cut line fails the query
  try {
    const objects = await countObjects(pool);
    if (objects > 0) throw new ConfigError([bucketMissing(objects)]);
    return undefined;
  } finally {
    await pool.end();
  }
}

export const bucketMissing = (objects: number): string =>
  `ATTACHMENTS_BUCKET is not set, but ${objects === 1 ? 'an attachment is' : `${objects} attachments are`} in a bucket. ` +
  'Set it and the other ATTACHMENTS_ settings again.';
