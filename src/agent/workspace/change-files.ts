import { Conflict } from '#domain/errors.ts';
import type { AttachmentHash, ThreadId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import { realChanges } from '#domain/workspace/changes.ts';
import type { NewVersion, Workspace } from '#domain/workspace/version.ts';
import { retryWhileBusy } from '#engine/with-retries.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { writeVersion } from '#store/workspaces/workspaces.ts';
import { asInvalid, type StoredFiles } from './stored-files.ts';

type Owner = Pick<Principal, 'userId'>;

/** How long the owner waits for a workspace that a turn has locked. */
const PATIENCE_MS = 5000;
/** How often the owner's change is tried again on a newer version. */
const TRIES = 5;

/** Whose files are changed: a thread's, or a container's, which is a workspace without a thread. */
type Place = { readonly thread: ThreadId | null; readonly open: () => Promise<Workspace> };

/** Writes a change of the owner on the newest version. Resolves to the files after it. */
export async function changeFiles(
  { db, stored }: { readonly db: Database; readonly stored: StoredFiles },
  owner: Owner,
  { thread, open }: Place,
  plan: (now: Workspace) => Promise<Pick<NewVersion, 'cause' | 'files' | 'isForeign'>>,
  contents: ReadonlyMap<AttachmentHash, Buffer> = new Map(),
): Promise<Workspace> {
  for (let tries = 1; ; tries++) {
    const now = await open();
    const planned = await plan(now);
    const files = realChanges(now.files, planned.files);
    if (files.length === 0) return now;
    await stored.storeFor(owner, now, files, contents).catch(asInvalid(null));
    const version = { ...planned, files, base: now.version, workspace: now.id };
    const write = () => withOwner(db, owner, (trx) => writeVersion(trx, owner, thread, version));
    const { outcome } = await retryWhileBusy({ forMs: PATIENCE_MS }, async () => ({ outcome: await write() }));
    if (outcome === 'written') return open();
    if (tries >= TRIES) throw new Conflict('thread_busy', 'The files change too often at the moment. Try again.');
  }
}
