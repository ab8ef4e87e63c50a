import { sql } from 'kysely';
import type { ProjectId } from '#domain/ids.ts';
import type { Project, ProjectSettings } from '#domain/work/project.ts';
import { type OwnedTransaction, type Owner, runStatement } from '../connection.ts';

/** By name: the person's own, and those that others share with them. */
export function listProjects(trx: OwnedTransaction, owner: Owner): Promise<Project[]> {
  return runStatement<Project>(trx, `select * from (${FOUND}) as found order by lower(name), id`, [owner.userId]);
}

export async function findProject(trx: OwnedTransaction, owner: Owner, id: ProjectId): Promise<Project | undefined> {
  const [row] = await runStatement<Project>(trx, `select * from (${FOUND}) as found where id = $2`, [owner.userId, id]);
  return row;
}

// A member has their own row once they have changed something or moved a thread.
const FOUND = `
  select f.id, f.name, coalesce(m.user_id, f.user_id) as "ownerId", coalesce(m.role, 'owner') as role,
    m.role is not null or exists (
      select from project_members as s where s.user_id = f.user_id and s.project_id = f.id) as "isShared",
    f.model, f.assistant, f.tokens_per_run as "tokensPerRun", f.tokens_per_day as "tokensPerDay", f.usd_per_run as "usdPerRun",
    f.usd_per_day as "usdPerDay", f.created_at as "createdAt"
  from folders as f left join project_members as m
    on m.user_id = f.shared_by and m.project_id = f.id and m.member = f.user_id
  where f.user_id = $1
  union all
  select m.project_id, m.name, m.user_id, m.role, true, null, null, null, null, null, null, m.added_at from project_members as m
  where m.member = $1 and not exists (
    select from folders as f where f.user_id = $1 and f.id = m.project_id)`;

/** The project can't be deleted until the transaction ends. A member gets their own row. */
export async function holdProject(trx: OwnedTransaction, owner: Owner, id: ProjectId): Promise<boolean> {
  await runStatement(trx, JOIN, [owner.userId, id]);
  const row = await trx
    .selectFrom('folders')
    .select('id')
    .where('userId', '=', owner.userId)
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst();
  return row !== undefined;
}

// A project of one's own that once was shared by someone is not joined again: its notes would be hidden.
const JOIN = `
  insert into folders (user_id, id, name, shared_by)
  select $1, project_id, name, user_id from project_members where member = $1 and project_id = $2
  on conflict do nothing`;

export async function insertProject(
  trx: OwnedTransaction,
  owner: Owner,
  { id, name }: Pick<Project, 'id' | 'name'>,
): Promise<void> {
  await trx.insertInto('folders').values({ userId: owner.userId, id, name }).execute();
}

/** The person's own name and settings. Returns whether there was such a project. */
export async function updateProject(
  trx: OwnedTransaction,
  owner: Owner,
  id: ProjectId,
  change: Partial<ProjectSettings & Pick<Project, 'name' | 'assistant'>>,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('folders')
    .set(change)
    .where('userId', '=', owner.userId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Its threads are in no project afterwards. Returns whether there was one. */
export async function deleteProject(trx: OwnedTransaction, owner: Owner, id: ProjectId): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('folders')
    .where('userId', '=', owner.userId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** What answers in new threads of the project. */
export function findProjectDefaults(
  trx: OwnedTransaction,
  owner: Owner,
  id: ProjectId,
): Promise<Pick<Project, 'model' | 'assistant'> | undefined> {
  return trx
    .selectFrom('folders')
    .select(['model', 'assistant'])
    .where('userId', '=', owner.userId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Whether another of the person's projects has this name, in any case. */
export async function isProjectNameTaken(
  trx: OwnedTransaction,
  owner: Owner,
  name: string,
  besides: ProjectId | undefined,
): Promise<boolean> {
  const row = await trx
    .selectFrom('folders')
    .select('id')
    .where('userId', '=', owner.userId)
    .where(sql`lower(name)`, '=', name.toLowerCase())
    .$if(besides !== undefined, (query) => query.where('id', '<>', besides as ProjectId))
    .executeTakeFirst();
  return row !== undefined;
}
