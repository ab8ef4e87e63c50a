import type { ObjectKey } from '#domain/ids.ts';
import type { SystemConnection } from './system-connection.ts';

/** How many objects are in the bucket, including those that must be removed. */
export async function countObjects(system: SystemConnection): Promise<number> {
  const { rows } = await system.query<{ objects: number }>(
    `select ((select count(*) from attachments where object_key is not null)
       + (select count(*) from unused_objects))::integer as objects`,
  );
  return rows[0]?.objects ?? 0;
}

/** The object that an attachment has referred to the longest. */
export async function findOldestObject(
  system: SystemConnection,
): Promise<{ key: ObjectKey; bytes: number } | undefined> {
  const { rows } = await system.query<{ key: ObjectKey; bytes: number }>(
    `select object_key as key, bytes from attachments where object_key is not null and is_stored order by created_at limit 1`,
  );
  return rows[0];
}
