import { bucketMissing } from '#app/open-bucket.ts';
import type { Config } from '#config/config.ts';
import type { Bucket } from '#domain/bucket.ts';
import type { ObjectKey } from '#domain/ids.ts';
import { openBucket } from '#store/bucket.ts';
import { countObjects, findOldestObject } from '#store/system/bucket-objects.ts';
import type { SystemConnection } from '#store/system/system-connection.ts';
import { type Finding, ok, problem, reasonOf, warning } from './finding.ts';

const CHECK = 'attachments';
/** Always the same, so that an interrupted check leaves at most one object. */
const KEY = 'attachments/checked-by-doctor' as ObjectKey;
const CONTENT = Buffer.from('Written by reborn doctor, and deleted by it.');

/** Whether attachments can be written, read and deleted where the settings say. */
export async function checkBucket(
  { attachmentsBucket }: Config,
  system: SystemConnection,
  offline: boolean,
): Promise<Finding[]> {
  if (!attachmentsBucket) {
    const objects = await countObjects(system);
    if (objects === 0) return [ok(CHECK, 'They are stored in PostgreSQL.')];
    return [problem(CHECK, bucketMissing(objects), 'The service does not start until then.')];
  }
  const { name, endpoint } = attachmentsBucket;
  const where = `the bucket ${name} at ${endpoint}`;
  if (offline) return [ok(CHECK, `They are stored in ${where}; not tried, because of --offline.`)];
  const bucket = openBucket(attachmentsBucket);
  try {
    return [await tryObject(bucket, where), ...(await lookForOldest(bucket, system, where))];
  } catch (error) {
    return [
      problem(
        CHECK,
        `An object could not be written to, read from and deleted in ${where}: ${describe(error)}`,
        'Check the ATTACHMENTS_ settings, and the rights of the access key.',
      ),
    ];
  } finally {
    await bucket.close();
  }
}

async function tryObject(bucket: Bucket, where: string): Promise<Finding> {
  await bucket.put(KEY, CONTENT);
  const read = await bucket.get(KEY, CONTENT.length);
  await bucket.remove(KEY);
  if (!read?.equals(CONTENT)) throw new Error('The object had other bytes when it was read.');
  return ok(CHECK, `An object was written to, read from and deleted in ${where}.`);
}

/** Another bucket than before would accept new objects, and lack those that exist. */
async function lookForOldest(bucket: Bucket, system: SystemConnection, where: string): Promise<Finding[]> {
  const oldest = await findOldestObject(system);
  if (!oldest || (await bucket.get(oldest.key, 0))) return [];
  return [
    warning(
      CHECK,
      `The oldest attachment is missing from ${where}.`,
      'Check that the settings name the bucket that was used before. To change buckets, copy all objects first.',
    ),
  ];
}

/** The SDK's errors often have no message. */
const describe = (error: unknown): string =>
  error instanceof Error ? error.message || ('code' in error ? String(error.code) : error.name) : reasonOf(error);
