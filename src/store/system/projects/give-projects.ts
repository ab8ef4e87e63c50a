import type { AttachmentHash, ProjectId } from '#domain/ids.ts';
import type { UserId } from '#domain/principal.ts';
import type { SystemConnection } from '../system-connection.ts';

/** The contents of all files of the projects that are given, in any version. */
export async function findFilesToGive(db: SystemConnection, from: UserId, heir: UserId): Promise<AttachmentHash[]> {
  const { rows } = await db.query<{ sha256: AttachmentHash }>(
    `select distinct f.sha256 from project_members as m
    join workspaces as w on w.user_id = m.user_id and w.project_id = m.project_id
    join workspace_files as f on f.workspace_id = w.id
    where m.user_id = $1 and m.member = $2 and m.role = 'write' and f.sha256 is not null`,
    [from, heir],
  );
  return rows.map(({ sha256 }) => sha256);
}

/** Makes the heir the owner of the projects where they may write. To the heir, the files in them are by others. */
export async function giveProjects(db: SystemConnection, from: UserId, heir: UserId): Promise<ProjectId[]> {
  await db.query(
    `update workspaces as w set is_foreign = true from project_members as m
    where w.user_id = m.user_id and w.project_id = m.project_id and m.user_id = $1 and m.member = $2 and m.role = 'write'`,
    [from, heir],
  );
  const { rows } = await db.query<{ id: ProjectId }>('select give_projects($1, $2) as id', [from, heir]);
  return rows.map(({ id }) => id);
}
