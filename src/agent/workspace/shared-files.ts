import { hashOf } from '#domain/thread/attachment.ts';
import { PROJECT_FOLDER } from '#domain/work/project.ts';
import type { Workspace, WorkspaceFile } from '#domain/workspace/version.ts';

/** The files of the thread's project, which have their own place among those of the thread. */
export type SharedFiles = {
  /** With their paths in the thread. */
  readonly files: ReadonlySet<WorkspaceFile>;
  readonly isForeign: boolean;
  read(file: WorkspaceFile, signal: AbortSignal): Promise<Buffer>;
};

export type OpenShared = () => Promise<SharedFiles | undefined>;
export const NONE: OpenShared = async () => undefined;

export const isShared = (path: string) => path === PROJECT_FOLDER || path.startsWith(`${PROJECT_FOLDER}/`);

/** A file of the thread's own goes before one of the project with the same path. */
export function withShared(own: Workspace, shared: SharedFiles | undefined): Workspace {
  if (!shared || shared.files.size === 0 || own.files.has(PROJECT_FOLDER)) return own;
  const added = [...shared.files].filter(({ path }) => !own.files.has(path));
  const digest = hashOf(Buffer.from(JSON.stringify(added.map(({ path, sha256, mode }) => [path, sha256, mode]))));
  return {
    ...own,
    isForeign: own.isForeign || shared.isForeign,
    files: new Map([...own.files, ...added.map((file) => [file.path, file] as const)]),
    shared: digest,
  };
}

export const describeRefused = (paths: readonly string[]) =>
  `files: ${paths.slice(0, MOST_REFUSED).join(', ')} not changed: what is in ${PROJECT_FOLDER}/ belongs to the project, and can only be read here.`;

const MOST_REFUSED = 5;

/** The bytes of files of the thread and of its project, in their order. */
export async function readBoth(
  files: readonly WorkspaceFile[],
  shared: SharedFiles | undefined,
  readOwn: (files: readonly WorkspaceFile[]) => Promise<Buffer[]>,
  signal: AbortSignal,
): Promise<Buffer[]> {
  const own = files.filter((file) => !shared?.files.has(file));
  const bytes = await readOwn(own);
  const known = new Map(own.map((file, index) => [file, bytes[index]]));
  return Promise.all(files.map(async (file) => known.get(file) ?? (shared as SharedFiles).read(file, signal)));
}
