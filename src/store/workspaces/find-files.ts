import type { ThreadId } from '#domain/ids.ts';
import { type OwnedTransaction, type Owner, runStatement } from '../connection.ts';

/** A file of a thread, found by its name. */
export type FoundFile = {
  readonly threadId: ThreadId;
  /** The title of the thread. */
  readonly title: string;
  readonly path: string;
  readonly bytes: number;
  readonly createdAt: Date;
};

/** The owner's files whose paths contain all of these words, the newest first. Removed files are left out. */
export function findFiles(
  trx: OwnedTransaction,
  owner: Owner,
  words: readonly string[],
  limit: number,
): Promise<FoundFile[]> {
  return runStatement<FoundFile>(trx, FIND, [owner.userId, words.map((word) => word.toLowerCase()), limit]);
}

const FIND = `
  with newest as (
    select distinct on (workspace_id, path) workspace_id, path, version, sha256, bytes from workspace_files
    where user_id = $1 and not exists (select from unnest($2::text[]) as word where position(word in lower(path)) = 0)
    order by workspace_id, path, version desc
  )
  select thread_id as "threadId", coalesce(title, generated_title, opening) as title, path, newest.bytes,
    workspace_versions.created_at as "createdAt"
  from newest
  join workspaces on workspaces.id = workspace_id and workspaces.user_id = $1
  join threads on threads.id = thread_id and threads.user_id = $1 and not threads.temporary
  join workspace_versions using (workspace_id, version)
  where sha256 is not null
  order by workspace_versions.created_at desc, path limit $3`;
