import { newId } from '#domain/ids.ts';
import type { CompactionBody, NewItem } from '#domain/thread/item.ts';
import { FOREIGN_AND_PRIVATE, type SummaryReads } from '#domain/thread/origin.ts';
import type { Summary } from '#domain/thread/summary.ts';
import type { Owner } from '#store/connection.ts';
import type { SealedTexts } from '#tools/secrets/sealed-text.ts';

/** A summary that a caller keeps, with what it hides. */
export type SealedSummary = { readonly summary: string; readonly reads: SummaryReads };

/** Begins a sealed summary with its origin. Summaries never hold this character, so an older one can't look like it. */
const MARK = '\0';

/** The item of a summary. A summary of unknown origin may hide anything. */
export function compactionOf(
  texts: Pick<SealedTexts, 'seal'>,
  owner: Owner,
  { text: summary, reads }: Pick<Summary, 'text' | 'reads'>,
): NewItem & CompactionBody {
  const sealed = texts.seal(owner, `${MARK}${JSON.stringify(reads ?? FOREIGN_AND_PRIVATE)}${MARK}${summary}`);
  return { id: newId(), type: 'compaction', summary, sealed, ...(reads && { reads }) };
}

/** undefined when it can't be opened. One without an origin may hide anything. */
export function openSummary(texts: Pick<SealedTexts, 'open'>, owner: Owner, sealed: string): SealedSummary | undefined {
  const opened = texts.open(owner, sealed);
  if (opened === undefined) return undefined;
  const [before, reads, ...rest] = opened.split(MARK);
  if (before !== '' || reads === undefined) return { summary: opened, reads: FOREIGN_AND_PRIVATE };
  return { summary: rest.join(MARK), reads: JSON.parse(reads) as SummaryReads };
}
