import type { WorkspaceId } from '#domain/ids.ts';
import type { Container } from '#domain/workspace/container.ts';
import type { VersionCause } from '#domain/workspace/version.ts';
import { type OwnedTransaction, type Owner, runStatement } from '../connection.ts';

const COLUMNS = `id, name, thread_id as "threadId", expires_minutes as "expiresMinutes", last_active_at as "lastActiveAt",
  created_at as "createdAt"`;

/** An expired one is as good as deleted. */
const LIVE = `(expires_minutes is null or last_active_at > now() - make_interval(mins => expires_minutes))`;

export async function insertContainer(
  trx: OwnedTransaction,
  owner: Owner,
  { id, name, expiresMinutes }: Pick<Container, 'id' | 'name' | 'expiresMinutes'>,
): Promise<void> {
  await runStatement(trx, 'insert into workspaces (id, user_id, name, expires_minutes) values ($1, $2, $3, $4)', [
    id,
    owner.userId,
    name,
    expiresMinutes,
  ]);
}

/** Finds a container, and counts it as used now. A thread without files has an empty one, which is not stored. */
export async function useContainer(
  trx: OwnedTransaction,
  owner: Owner,
  id: WorkspaceId,
): Promise<Container | undefined> {
  const [row] = await runStatement<Container>(trx, USE, [owner.userId, id]);
  return row;
}

const USE = `
  with used as (
    update workspaces set last_active_at = now() where user_id = $1 and id = $2 and project_id is null and ${LIVE} returning *
  )
  select ${COLUMNS} from used
  union all
  select id, null, id, null, created_at, created_at from threads
  where user_id = $1 and id = $2 and not exists (select from workspaces where id = $2)`;

export type ContainerPage = {
  readonly limit: number;
  readonly order: 'asc' | 'desc';
  /** The last container of the page before. It need not exist any more. */
  readonly after?: WorkspaceId | undefined;
  readonly name?: string | undefined;
};

/** Those that callers have made. Ids sort by the time of their creation. */
export function listContainers(
  trx: OwnedTransaction,
  owner: Owner,
  { limit, order, after, name }: ContainerPage,
): Promise<Container[]> {
  const [beyond, direction] = order === 'asc' ? ['>', 'asc'] : ['<', 'desc'];
  return runStatement<Container>(
    trx,
    `select ${COLUMNS} from workspaces
    where user_id = $1 and thread_id is null and project_id is null and ${LIVE} and ($2::uuid is null or id ${beyond} $2) and ($3::text is null or name = $3)
    order by id ${direction} limit $4`,
    [owner.userId, after ?? null, name ?? null, limit],
  );
}

export async function countContainers(trx: OwnedTransaction, owner: Owner): Promise<number> {
  const [row] = await runStatement<{ count: number }>(
    trx,
    'select count(*)::integer as count from workspaces where user_id = $1 and thread_id is null and project_id is null',
    [owner.userId],
  );
  return row?.count ?? 0;
}

/** Threads keep their own. Returns whether there was one. */
export async function deleteContainer(trx: OwnedTransaction, owner: Owner, id: WorkspaceId): Promise<boolean> {
  const gone = await runStatement(
    trx,
    'delete from workspaces where user_id = $1 and id = $2 and thread_id is null and project_id is null returning id',
    [owner.userId, id],
  );
  return gone.length > 0;
}

/** When and by what versions were made, such as those that changed a file last. */
export function findVersions(
  trx: OwnedTransaction,
  owner: Owner,
  id: WorkspaceId,
  versions: readonly number[],
): Promise<{ version: number; cause: VersionCause; createdAt: Date }[]> {
  return runStatement(
    trx,
    `select version, cause, created_at as "createdAt" from workspace_versions
    where user_id = $1 and workspace_id = $2 and version = any ($3)`,
    [owner.userId, id, versions],
  );
}
