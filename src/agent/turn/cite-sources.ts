import { type Citations, type CitedSource, checkCitations, type FilePage } from '#domain/search/citations.ts';
import { type FileMarker, fileMarkersIn, markersIn } from '#domain/search/markers.ts';
import type { NumberedSource } from '#domain/search/source.ts';
import type { Item } from '#domain/thread/item.ts';
import type { Turn } from '#domain/thread/turn.ts';
import { workspaceOfTurn } from '#domain/workspace/version.ts';
import { runInWorker, unlessGivenUp } from '#safety/worker-threads/worker-pool.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { findDocuments, readPages } from '#store/documents/documents.ts';
import { readStoreFiles } from '#store/documents/vector-stores.ts';
import { listCitable, listSources } from '#store/sources.ts';
import { readWorkspace } from '#store/workspaces/workspaces.ts';

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
  const named = fileMarkersIn(text).slice(0, MOST_FILE_MARKS);
  if (numbers.size === 0 && named.length === 0) return undefined;
  const sources = numbers.size === 0 ? [] : await findSources(db, turn, [...numbers]);
  const pages = named.length === 0 ? [] : await findPages(db, turn, named);
  const length = [...sources, ...pages].reduce((sum, page) => sum + page.text.length, text.length);
  if (length <= INLINE_LENGTH) return checkCitations(text, sources, pages);
  const job = { program: 'safety/worker-threads/run-rules', run: 'citations', lane: turn.userId } as const;
  const checked = await unlessGivenUp(runInWorker<Citations | undefined>({ ...job, input: { text, sources, pages } }));
  // What can't be checked is not confirmed: without its texts, no quotation is on a page.
  return (
    checked ??
    checkCitations(
      text,
      sources.map((source) => ({ ...source, text: '' })),
      pages.map((page) => ({ ...page, text: '' })),
    )
  );
}

async function findSources(db: Database, turn: Turn, numbers: readonly number[]): Promise<NumberedSource[]> {
  const sources = await withOwner(db, turn, (trx) => listSources(trx, turn, turn.threadId, numbers));
  return sources.map(({ number, url, title, published, how, text }) => ({ number, url, title, published, how, text }));
}

/** More places that name documents are not looked up, and count as unknown. */
const MOST_FILE_MARKS = 100;

/** The text of the pages that an answer names, of documents that are files of the thread now, or of the stores that it can search. */
async function findPages(db: Database, turn: Turn, named: readonly FileMarker[]): Promise<FilePage[]> {
  const wanted = [...new Map(named.map((marker) => [`${marker.page} ${marker.file}`, marker])).values()];
  return withOwner(db, turn, async (trx) => {
    const { files } = await readWorkspace(trx, turn, workspaceOfTurn(turn));
    const { stores = [] } = turn.request.stores ?? {};
    const inStores = stores.length === 0 ? [] : await readStoreFiles(trx, turn, stores);
    const hashOf = (file: string) =>
      files.get(file)?.sha256 ?? inStores.find(({ filename }) => filename === file)?.sha256;
    const hashes = wanted.flatMap(({ file }) => hashOf(file) ?? []);
    const documents = await findDocuments(trx, turn, [...new Set(hashes)]);
    const found: FilePage[] = [];
    for (const { file, page } of wanted) {
      const document = documents.find(({ sha256 }) => sha256 === hashOf(file));
      if (document?.state !== 'ready' || page < 1 || page > document.pages) continue;
      const [read] = await readPages(trx, turn, document.number, { from: page, to: page });
      found.push({ file, page, text: read?.text ?? '', ...(!read && { isPicture: true }) });
    }
    return found;
  });
}
