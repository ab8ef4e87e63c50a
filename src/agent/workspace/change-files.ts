import { Conflict, NotFound } from '#domain/errors.ts';
import type { AttachmentHash, ThreadId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import { hashOf } from '#domain/thread/attachment.ts';
import { realChanges } from '#domain/workspace/changes.ts';
import { normalizeFilePath } from '#domain/workspace/path.ts';
import {
  type ChangedFile,
  type NewVersion,
  PLAIN_FILE,
  type Workspace,
  type WorkspaceFile,
} from '#domain/workspace/version.ts';
import { retryWhileBusy } from '#engine/with-retries.ts';
import { type Database, type OwnedTransaction, withOwner } from '#store/connection.ts';
import { writeVersion } from '#store/workspaces/workspaces.ts';
import { asInvalid, type StoredFiles } from './stored-files.ts';

type Owner = Pick<Principal, 'userId'>;

/** How long the owner waits for a workspace that a turn has locked. */
const PATIENCE_MS = 5000;
/** How often the owner's change is tried again on a newer version. */
const TRIES = 5;

/** Whose files are changed: a thread's, or a project's or container's, which is a workspace without a thread. */
type Place = {
  readonly thread: ThreadId | null;
  readonly open: () => Promise<Workspace>;
  /** Throws, in the transaction of the write, if the files may not be changed any more. */
  readonly check?: (trx: OwnedTransaction) => Promise<void>;
};

export type Change = {
  /** What is changed, decided on the newest version. */
  readonly plan: (now: Workspace) => Promise<Pick<NewVersion, 'cause' | 'files' | 'isForeign'>>;
  readonly contents?: ReadonlyMap<AttachmentHash, Buffer>;
};

/** Writes a change of the owner on the newest version. Resolves to the files after it. */
export async function changeFiles(
  { db, stored }: { readonly db: Database; readonly stored: StoredFiles },
  owner: Owner,
  { thread, open, check }: Place,
  { plan, contents = new Map() }: Change,
): Promise<Workspace> {
  for (let tries = 1; ; tries++) {
    const now = await open();
    const planned = await plan(now);
    const files = realChanges(now.files, planned.files);
    if (files.length === 0) return now;
    await stored.storeFor(owner, now, files, contents).catch(asInvalid(null));
    const version = { ...planned, files, base: now.version, workspace: now.id };
    const write = () =>
      withOwner(db, owner, async (trx) => {
        await check?.(trx);
        return writeVersion(trx, owner, thread, version);
      });
    const { outcome } = await retryWhileBusy({ forMs: PATIENCE_MS }, async () => ({ outcome: await write() }));
    if (outcome === 'written') return open();
    if (tries >= TRIES) throw new Conflict('thread_busy', 'The files change too often at the moment. Try again.');
  }
}

/** Stores a file. `own`: the person says that they wrote it. */
export function storing(given: string, content: Buffer, own: boolean): Change {
  const path = normalizeFilePath(given);
  const sha256 = hashOf(content);
  const files = [{ path, sha256, bytes: content.length, mode: PLAIN_FILE }];
  return { plan: async () => ({ cause: 'person', files, isForeign: !own }), contents: new Map([[sha256, content]]) };
}

/** Removes a file, which must exist. */
export function removing(given: string): Change {
  const path = normalizeFilePath(given);
  const plan: Change['plan'] = async (now) => {
    getFile(now, path);
    return { cause: 'person', files: [removed(path)], isForeign: false };
  };
  return { plan };
}

export const removed = (path: string): ChangedFile => ({ path, sha256: null, bytes: 0, mode: PLAIN_FILE });

export function getFile({ files }: Workspace, path: string): WorkspaceFile {
  const file = files.get(path);
  if (!file) throw new NotFound(`The file ${path} does not exist.`);
  return file;
}
