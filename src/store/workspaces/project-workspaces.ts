import type { ProjectId, WorkspaceId } from '#domain/ids.ts';
import { type OwnedTransaction, type Owner, runStatement } from '../connection.ts';

/** The workspace with the files of a project of this owner. */
export async function findProjectWorkspace(
  trx: OwnedTransaction,
  owner: Owner,
  project: ProjectId,
): Promise<WorkspaceId | undefined> {
  const [row] = await runStatement<{ id: WorkspaceId }>(
    trx,
    'select id from workspaces where user_id = $1 and project_id = $2',
    [owner.userId, project],
  );
  return row?.id;
}

/** Creates the workspace of a project that has none. Its row is locked first, so that only one is created. */
export async function insertProjectWorkspace(
  trx: OwnedTransaction,
  owner: Owner,
  project: ProjectId,
  id: WorkspaceId,
): Promise<void> {
  await runStatement(trx, 'select from folders where user_id = $1 and id = $2 for no key update', [
    owner.userId,
    project,
  ]);
  await runStatement(
    trx,
    `insert into workspaces (id, user_id, project_id) select $3, $1, $2
    where not exists (select from workspaces where user_id = $1 and project_id = $2)`,
    [owner.userId, project, id],
  );
}
