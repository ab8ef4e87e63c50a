import type { AttachmentHash, ThreadId, TurnId, WorkspaceId } from '#domain/ids.ts';
import {
  type NewVersion,
  type VersionCause,
  versionFields,
  type Workspace,
  type WorkspaceFile,
} from '#domain/workspace/version.ts';
import { type OwnedTransaction, type Owner, runStatement } from '../connection.ts';

/**
 * The files in a version, or in the newest one. A workspace that does not exist yet is empty, and at version 0. Of a version that is
 * not kept any more, it is the one before.
 */
export async function readWorkspace(
  trx: OwnedTransaction,
  owner: Owner,
  id: WorkspaceId,
  version?: number,
): Promise<Workspace> {
  const [row] = await runStatement<WorkspaceRow>(trx, READ, [owner.userId, id, version ?? null]);
  if (!row) return { id, version: 0, isForeign: false, files: new Map() };
  const files = row.files.map(([path, sha256, bytes, mode, changed]) => ({
    path,
    sha256,
    bytes,
    mode,
    version: changed,
  }));
  return { id, version: row.version, isForeign: row.isForeign, files: new Map(files.map((file) => [file.path, file])) };
}

type WorkspaceRow = Pick<Workspace, 'version' | 'isForeign'> & {
  readonly files: readonly (readonly [string, AttachmentHash, number, number, number])[];
};

const READ = `
  select case when $3::integer is null then head else (
      select coalesce(max(version), 0) from workspace_versions where workspace_id = workspaces.id and version <= $3
    ) end as version, is_foreign as "isForeign", (
    select coalesce(json_agg(json_build_array(path, sha256, bytes, mode, version) order by path), '[]') from (
      select distinct on (path) path, sha256, bytes, mode, version from workspace_files
      where workspace_id = workspaces.id and ($3::integer is null or version <= $3) order by path, version desc
    ) as newest where sha256 is not null) as files
  from workspaces where user_id = $1 and id = $2`;

/** The newest version, without its files. */
export async function readVersion(trx: OwnedTransaction, owner: Owner, id: WorkspaceId): Promise<number> {
  const [row] = await runStatement<{ version: number }>(
    trx,
    'select head as version from workspaces where user_id = $1 and id = $2',
    [owner.userId, id],
  );
  return row?.version ?? 0;
}

/** Writes a version of a workspace: the one that it names, or else the thread's own. `busy`: locked. `stale`: its base is not the newest. */
export async function writeVersion(
  trx: OwnedTransaction,
  owner: Owner,
  thread: ThreadId | null,
  version: NewVersion,
): Promise<'written' | 'busy' | 'stale'> {
  const [taken] = await runStatement<{ outcome: 'free' | 'busy' | 'stale' }>(
    trx,
    'select take_workspace($1, $2, $3) as outcome',
    [version.workspace ?? thread, owner.userId, version.base],
  );
  if (taken?.outcome !== 'free') return taken?.outcome ?? 'busy';
  const json = JSON.stringify(versionFields(version));
  await runStatement(trx, 'select write_version($1, $2, null, null, $3)', [owner.userId, thread, json]);
  return 'written';
}

/** A version, and what it changed. */
export type VersionRow = {
  readonly version: number;
  readonly cause: VersionCause;
  readonly turnId: TurnId | null;
  readonly createdAt: Date;
  readonly files: readonly { readonly path: string; readonly bytes: number; readonly removed: boolean }[];
};

/** The versions before `before`, the newest first: all, or those that changed one file. */
export function listVersions(
  trx: OwnedTransaction,
  owner: Owner,
  id: WorkspaceId,
  {
    path,
    before,
    limit,
  }: { readonly path?: string | undefined; readonly before?: number | undefined; readonly limit: number },
): Promise<VersionRow[]> {
  return runStatement<VersionRow>(trx, VERSIONS, [owner.userId, id, path ?? null, before ?? null, limit, MOST_CHANGES]);
}

/** How many changed files of a version are listed. */
const MOST_CHANGES = 100;

const VERSIONS = `
  select v.version, v.cause, v.turn_id as "turnId", v.created_at as "createdAt", (
    select coalesce(json_agg(json_build_object('path', path, 'bytes', bytes, 'removed', sha256 is null) order by path), '[]') from (
      select path, bytes, sha256 from workspace_files as f
      where f.workspace_id = v.workspace_id and f.version = v.version and ($3::text is null or f.path = $3)
      order by path limit $6) as changed) as files
  from workspace_versions as v
  where v.user_id = $1 and v.workspace_id = $2 and ($4::integer is null or v.version < $4)
    and ($3::text is null or exists (select from workspace_files as f
      where f.workspace_id = v.workspace_id and f.version = v.version and f.path = $3))
  order by v.version desc limit $5`;

/** The bytes of everything that the user has stored: files in messages and in workspaces, each content once. */
export async function readStoredBytes(trx: OwnedTransaction, owner: Owner): Promise<number> {
  const [row] = await runStatement<{ bytes: string }>(
    trx,
    'select coalesce(sum(bytes), 0) as bytes from attachments where user_id = $1',
    [owner.userId],
  );
  return Number(row?.bytes ?? 0);
}

/** Copies the files of a thread's workspace to another thread, as they were before the turns from `beforeSeq` on. */
export async function copyWorkspace(
  trx: OwnedTransaction,
  owner: Owner,
  { from, to, beforeSeq }: { readonly from: ThreadId; readonly to: ThreadId; readonly beforeSeq: number | undefined },
): Promise<void> {
  const [cut] = await runStatement<{ version: number | null }>(trx, VERSION_BEFORE, [
    owner.userId,
    from,
    beforeSeq ?? null,
  ]);
  const { files, isForeign } = await readWorkspace(
    trx,
    owner,
    from as string as WorkspaceId,
    cut?.version ?? undefined,
  );
  if (files.size === 0) return;
  const copied: WorkspaceFile[] = [...files.values()];
  await writeVersion(trx, owner, to, { base: 0, cause: 'copy', isForeign, files: copied });
}

const VERSION_BEFORE = `
  select min(v.version) - 1 as version from workspace_versions as v join turns on turns.id = v.turn_id
  where v.user_id = $1 and v.workspace_id = $2 and turns.seq >= $3`;
