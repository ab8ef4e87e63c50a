import { type Citations, type CitedSource, checkCitations } from '#domain/search/citations.ts';
import { markersIn } from '#domain/search/markers.ts';
import type { NumberedSource } from '#domain/search/source.ts';
import type { Item } from '#domain/thread/item.ts';
import type { Turn } from '#domain/thread/turn.ts';
import { runInWorker, unlessGivenUp } from '#safety/worker-threads/worker-pool.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { listCitable, listSources } from '#store/sources.ts';

/** Longer pages are searched in another thread. */
const INLINE_LENGTH = 16 * 1024;

/** What the next answer may cite. It is read only in threads that may have a source. */
export async function findCitable(
  db: Database,
  turn: Turn,
  { thread, isSummed }: { readonly thread: readonly Item[]; readonly isSummed: boolean },
): Promise<readonly CitedSource[]> {
  if (turn.request.format !== undefined || !(isSummed || thread.some(mayShowSources))) return [];
  return withOwner(db, turn, (trx) => listCitable(trx, turn, turn.threadId));
}

const mayShowSources = (item: Item): boolean =>
  item.type === 'compaction' || (item.type === 'function_call' && item.name.startsWith('reborn_web_'));

/** The checked markers of an answer. The service checks them, because a model can cite what it has never read. */
export async function citationsOf(db: Database, turn: Turn, text: string): Promise<Citations | undefined> {
  if (turn.request.format !== undefined) return undefined;
  const numbers = new Set(markersIn(text).map(({ number }) => number));
  if (numbers.size === 0) return undefined;
  const sources = await withOwner(db, turn, (trx) => listSources(trx, turn, turn.threadId, [...numbers]));
  const plain = sources.map(({ number, url, title, published, how, text: seen }): NumberedSource => {
    return { number, url, title, published, how, text: seen };
  });
  if (plain.reduce((sum, source) => sum + source.text.length, text.length) <= INLINE_LENGTH)
    return checkCitations(text, plain);
  const job = { program: 'safety/worker-threads/run-rules', run: 'citations', lane: turn.userId } as const;
  const checked = await unlessGivenUp(runInWorker<Citations | undefined>({ ...job, input: { text, sources: plain } }));
  // What can't be checked is not confirmed: without its texts, no quotation is on a page.
  return (
    checked ??
    checkCitations(
      text,
      plain.map((source) => ({ ...source, text: '' })),
    )
  );
}
