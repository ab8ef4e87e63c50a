import { createHash } from 'node:crypto';
import { InvalidRequest } from '#domain/errors.ts';
import { BY_PERSON } from '#domain/note.ts';
import { audited } from '#store/audit.ts';
import { type Database, type OwnedTransaction, type Owner, withOwner } from '#store/connection.ts';
import { findTraced, type NoteTrace, type TracedNote } from '#store/notes/find-traced.ts';
import { eraseVersions } from '#store/notes/note-versions.ts';
import { deleteNote, lockNotes, writeNote } from '#store/notes/notes.ts';

export type Forgetting = {
  readonly from: NoteTrace;
  /** Also what was written after reading such a note, and so on. */
  readonly derived: boolean;
  /** What was shown is what happens: the digest of the preview. Without it, nothing is changed. */
  readonly digest?: string | undefined;
  /** Removes the versions, too, so that they can't be restored. */
  readonly permanent: boolean;
};

export type Forgotten = {
  /** These notes go back to an earlier text, or are deleted. */
  readonly changed: readonly TracedNote[];
  /** Their newest version is by the person, who decides about their own words. */
  readonly kept: readonly TracedNote[];
  /** These had such a text before. It is in their history alone. */
  readonly replaced: readonly TracedNote[];
  /** How many versions came from there, also those that were replaced since. */
  readonly versions: number;
  readonly digest: string;
};

/** Takes back what came from somewhere: what it would do, and with the digest of that, does it. */
export function forgetNotes(db: Database, owner: Owner, { digest, ...what }: Forgetting): Promise<Forgotten> {
  return withOwner(db, owner, async (trx) => {
    const preview = await previewOf(trx, owner, what);
    if (digest === undefined) return preview;
    await lockNotes(
      trx,
      owner,
      [...preview.changed, ...preview.kept, ...preview.replaced].map(({ path }) => path),
    );
    if ((await previewOf(trx, owner, what)).digest !== digest)
      throw new InvalidRequest(
        'invalid_request',
        'digest',
        'The notes are no longer as the preview showed them. Ask for another one.',
      );
    const entry = {
      actor: owner.userId,
      action: 'note.forget',
      subject: owner.userId,
      detail: { count: preview.changed.length, permanent: what.permanent },
    };
    await audited(trx, () => apply(trx, owner, preview, what.permanent), entry);
    return preview;
  });
}

async function previewOf(
  trx: OwnedTransaction,
  owner: Owner,
  { from, derived }: Pick<Forgetting, 'from' | 'derived'>,
): Promise<Forgotten> {
  const traced = await findTraced(trx, owner, from, derived);
  const isCurrent = ({ version, versions, text, stays }: TracedNote) =>
    versions.includes(version) && (text !== null || (stays?.text ?? null) !== null);
  const facts = traced.map(({ path, version, versions, stays }) => [path, version, versions, stays?.version]);
  return {
    changed: traced.filter((note) => isCurrent(note) && note.writtenBy !== 'person'),
    kept: traced.filter((note) => isCurrent(note) && note.writtenBy === 'person'),
    replaced: traced.filter((note) => !isCurrent(note)),
    versions: traced.reduce((sum, { versions }) => sum + versions.length, 0),
    digest: createHash('sha256').update(JSON.stringify(facts)).digest('hex'),
  };
}

async function apply(trx: OwnedTransaction, owner: Owner, preview: Forgotten, permanent: boolean): Promise<void> {
  const { changed, kept, replaced } = preview;
  for (const { path, stays } of changed) {
    const { text = null, origin = 'unknown', sources = [] } = stays ?? {};
    if (text === null) await deleteNote(trx, owner, path, BY_PERSON);
    else await writeNote(trx, owner, { path, text, origin }, { author: 'person', sources });
  }
  if (!permanent) return;
  for (const { path, versions } of [...changed, ...replaced]) await eraseVersions(trx, owner, path, versions);
  for (const { path, version, versions } of kept)
    await eraseVersions(
      trx,
      owner,
      path,
      versions.filter((each) => each !== version),
    );
}
