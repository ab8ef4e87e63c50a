import type { AttachmentHash } from '#domain/ids.ts';
import { hashOf } from '#domain/thread/attachment.ts';
import type { Situation } from '#domain/thread/origin.ts';
import type { Turn } from '#domain/thread/turn.ts';
import { ChangesRefused, describeChanges, moveChanges, realChanges } from '#domain/workspace/changes.ts';
import {
  type ChangedFile,
  keptMode,
  type NewVersion,
  PLAIN_FILE,
  type Workspace,
  type WorkspaceFile,
  workspaceOfTurn,
} from '#domain/workspace/version.ts';
import { withRetries } from '#engine/with-retries.ts';
import { isAway } from '#store/away.ts';
import type { FileChange, OpenWorkspace } from '#tools/workspace-port.ts';
import {
  describeRefused,
  isShared,
  NONE,
  type OpenShared,
  readBoth,
  type SharedFiles,
  withShared,
} from './shared-files.ts';
import type { StoredFiles } from './stored-files.ts';

/** What is written with a call's output. */
export type Prepared = {
  /** Undefined: nothing changed, or it can't be written. */
  readonly version: NewVersion | undefined;
  /** What the output says about it. */
  readonly line: string | undefined;
};

/** How often a person can change the files while one output is written, before the output is written without its changes. */
const MOST_MOVES = 5;

export type Staging = ReturnType<typeof stageFiles>;

/**
 * The changes of one call. A tool stages them, and the turn writes them together with the output: after a crash both exist, or
 * neither does.
 */
export function stageFiles(stored: StoredFiles, turn: Turn, signal: AbortSignal, openShared: OpenShared = NONE) {
  const changes = new Map<string, ChangedFile>();
  const contents = new Map<AttachmentHash, Buffer>();
  const ends: ((version: number | undefined) => void)[] = [];
  let opened: Promise<Workspace> | undefined;
  let environment: string | undefined;
  let byOthers = false;
  let newest: Workspace | undefined;
  const readOnly = new Set<string>();
  let moves = 0;
  // A database that restarts must not make a call fail: nothing has happened yet that could not be read again.
  const patiently = <T>(read: () => Promise<T>): Promise<T> =>
    withRetries({ isAway, onDeclaredDead: async () => {} }, { signal }, read);
  const open = () => (opened ??= patiently(() => stored.readOf(turn, workspaceOfTurn(turn))));
  const readOwn = (files: readonly WorkspaceFile[]) => patiently(() => stored.bytesOf(turn, files, signal));
  let shared: Promise<SharedFiles | undefined> | undefined;
  const openAll = () => (shared ??= patiently(openShared));

  const port: OpenWorkspace = {
    open: async () => withShared(await open(), await openAll()),
    read: (file) => port.readAll([file]).then(([bytes]) => bytes as Buffer),
    readAll: async (files) => readBoth(files, await openAll(), readOwn, signal),
    stage(staged, options) {
      for (const change of staged) {
        const changed = toChangedFile(change);
        changes.set(change.path, changed);
        if (changed.sha256 && change.content) contents.set(changed.sha256, change.content);
      }
      environment = options?.environment ?? environment;
      byOthers ||= options?.isForeign ?? false;
      if (options?.onEnd) ends.push(options.onEnd);
    },
  };

  async function prepare(situation: Situation | undefined): Promise<Prepared> {
    if (changes.size + readOnly.size === 0) return { version: undefined, line: undefined };
    if (await openAll()) for (const path of [...changes.keys()].filter(isShared)) readOnly.add(path);
    for (const path of readOnly) changes.delete(path);
    const refused = readOnly.size > 0 ? describeRefused([...readOnly]) : undefined;
    const before = await open();
    const now = newest ?? before;
    const real = realChanges(before.files, [...changes.values()]);
    const { changes: wanted, beside } = moveChanges(real, before.files, now.files);
    if (wanted.length === 0) return { version: undefined, line: refused };
    try {
      await stored.storeFor(turn, now, wanted, contents);
    } catch (error) {
      if (!(error instanceof ChangesRefused)) throw error;
      return { version: undefined, line: `files: not changed, because ${error.message}. They are as before the call.` };
    }
    const isForeign = byOthers || situation !== 'clean';
    const version = {
      workspace: now.id,
      base: now.version,
      cause: 'call',
      isForeign,
      files: wanted,
      ...(environment && { environment }),
    } as const;
    return { version, line: describeWritten(now, wanted, beside, refused) };
  }

  return {
    port,
    prepare,
    /** A person has changed the files since the call began. False: it happened too often. */
    async move(): Promise<boolean> {
      newest = await stored.readOf(turn, workspaceOfTurn(turn));
      return ++moves <= MOST_MOVES;
    },
    /** Tells the tool which version its changes became: undefined if they were not written, or not alone. */
    end(version: NewVersion | undefined): void {
      const isExact = version !== undefined && newest === undefined && readOnly.size === 0;
      for (const end of ends.splice(0)) end(isExact ? (version.base ?? 0) + 1 : undefined);
    },
  };
}

const describeWritten = (
  now: Workspace,
  wanted: readonly ChangedFile[],
  beside: ReadonlyMap<string, string>,
  refused: string | undefined,
): string =>
  [describeChanges(now.files, wanted, now.version + 1), ...describeMoved(beside), ...(refused ? [refused] : [])].join(
    '\n',
  );

const describeMoved = (moved: ReadonlyMap<string, string>): string[] =>
  [...moved].map(([path, beside]) => `The user changed ${path} meanwhile: theirs is kept, and yours is ${beside}.`);

const toChangedFile = ({ path, content, mode = PLAIN_FILE, sha256 }: FileChange): ChangedFile => ({
  path,
  sha256: content && (sha256 ?? hashOf(content)),
  bytes: content?.length ?? 0,
  mode: keptMode(mode),
});
