import { Conflict, InvalidRequest, NotFound } from '#domain/errors.ts';
import type { AttachmentHash, ThreadId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import { ChangesRefused, realChanges } from '#domain/workspace/changes.ts';
import { type NewVersion, type Workspace, workspaceOf } from '#domain/workspace/version.ts';
import { retryWhileBusy } from '#engine/with-retries.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { findThread } from '#store/threads/thread-listings.ts';
import { readWorkspace, writeVersion } from '#store/workspaces/workspaces.ts';
import type { StoredFiles } from './stored-files.ts';

type Owner = Pick<Principal, 'userId'>;

/** How long the owner waits for a workspace that a turn has locked. */
const PATIENCE_MS = 5000;
/** How often the owner's change is tried again on a newer version. */
const TRIES = 5;

/** The files of a thread of the owner. Missing and foreign threads both throw `NotFound`. */
export const openFiles = (db: Database, owner: Owner, thread: ThreadId, version?: number): Promise<Workspace> =>
  withOwner(db, owner, async (trx) => {
    if (!(await findThread(trx, owner, thread))) throw new NotFound('There is no such thread.');
    const found = await readWorkspace(trx, owner, workspaceOf(thread), version);
    if (version !== undefined && found.version !== version) throw new NotFound(noVersion(version));
    return found;
  });

/** It never existed, or is not kept any more. */
export const noVersion = (version: number): string => `There is no version ${version}.`;

/** Writes a change of the owner on whichever version is the newest. Resolves to the files after it. */
export async function changeFiles(
  { db, stored }: { readonly db: Database; readonly stored: StoredFiles },
  owner: Owner,
  thread: ThreadId,
  plan: (now: Workspace) => Promise<Pick<NewVersion, 'cause' | 'files' | 'isForeign'>>,
  contents: ReadonlyMap<AttachmentHash, Buffer> = new Map(),
): Promise<Workspace> {
  for (let tries = 1; ; tries++) {
    const now = await openFiles(db, owner, thread);
    const planned = await plan(now);
    const files = realChanges(now.files, planned.files);
    if (files.length === 0) return now;
    await stored.storeFor(owner, now, files, contents).catch(asInvalid);
    const version = { ...planned, files, base: now.version };
    const write = () => withOwner(db, owner, (trx) => writeVersion(trx, owner, thread, version));
    const { outcome } = await retryWhileBusy({ forMs: PATIENCE_MS }, async () => ({ outcome: await write() }));
    if (outcome === 'written') return stored.readOf(owner, thread);
    if (tries >= TRIES) throw new Conflict('thread_busy', 'The files change too often at the moment. Try again.');
  }
}

/** The owner reads the reason as the answer to their request. */
function asInvalid(error: unknown): never {
  if (error instanceof ChangesRefused)
    throw new InvalidRequest('invalid_request', null, `Not stored: ${error.message}.`);
  throw error;
}
