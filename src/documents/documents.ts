import { setTimeout as sleep } from 'node:timers/promises';
import type { Embedder } from '#domain/embedder.ts';
import type { AttachmentHash } from '#domain/ids.ts';
import type { Page } from '#domain/workspace/document.ts';
import { BEST_SCORE, rankTexts } from '#memory/rank-texts.ts';
import { type Database, type Owner, withOwner } from '#store/connection.ts';
import {
  type ExtractedText,
  findDocuments,
  findNeighbours,
  findPassages,
  readPages,
  type StoredDocument,
  type StoredPage,
  type StoredPassage,
  writeFailure,
  writePassages,
} from '#store/documents/documents.ts';
import { PASSAGES } from '#store/search/search-source.ts';
import type { WaitingDocument } from '#store/system/texts.ts';
import type { Draw, Drawn, Extract } from './extractor.ts';
import { splitPages } from './passages.ts';

export type Documents = ReturnType<typeof createDocuments>;

/** A passage that was found; `isNear`: it is beside one that was, and has the score 0. The first by words and by meaning has 1. */
export type FoundPassage = StoredPassage & {
  readonly sha256: AttachmentHash;
  readonly isNear: boolean;
  readonly score: number;
};

type DocumentParts = {
  readonly db: Database;
  readonly embedder?: Embedder | undefined;
  readonly extract: Extract;
  readonly draw: Draw;
  readonly read: (owner: Owner, sha256: AttachmentHash, signal: AbortSignal) => Promise<Uint8Array>;
};

const MOST_FOUND = 8;
const WITH_NEIGHBOURS = 2;
/** Each start can end with the death of this process; after so many, another one does not help. */
const MOST_ATTEMPTS = 3;
/** How long a turn waits for a document that is being read. */
const PATIENCE_MS = 20_000;
const LOOK_MS = 150;

/** The text of files: by page, and by what is searched for. */
export function createDocuments({ db, embedder, extract, draw, read }: DocumentParts) {
  const find = (owner: Owner, hashes: readonly AttachmentHash[]): Promise<StoredDocument[]> =>
    withOwner(db, owner, (trx) => findDocuments(trx, owner, [...new Set(hashes)]));

  return {
    /** The documents among these files. */
    find,

    /** The same, once none of them waits, or the time is over. */
    async findRead(owner: Owner, hashes: readonly AttachmentHash[], signal: AbortSignal): Promise<StoredDocument[]> {
      const until = performance.now() + PATIENCE_MS;
      for (;;) {
        const found = await find(owner, hashes);
        if (found.every(({ state }) => state !== 'waiting') || performance.now() > until) return found;
        await sleep(LOOK_MS, undefined, { signal });
      }
    },

    /** Reads the text of a document and stores it, or the reason why it has none. */
    async extractWaiting(job: WaitingDocument, signal: AbortSignal): Promise<void> {
      const extracted =
        job.attempts > MOST_ATTEMPTS ? GIVEN_UP : await extract(job.kind, await read(job, job.sha256, signal), signal);
      const made = 'reason' in extracted ? extracted : textOf(extracted.pages);
      await withOwner(db, job, (trx) =>
        'reason' in made ? writeFailure(trx, job, job.number, made.reason) : writePassages(trx, job, job.number, made),
      );
    },

    /** The passages that best match, then those beside the best two, each list in its order. */
    search(
      owner: Owner,
      documents: readonly Pick<StoredDocument, 'number' | 'sha256'>[],
      query: string,
      { limit = MOST_FOUND, withNeighbours = WITH_NEIGHBOURS } = {},
    ): Promise<FoundPassage[]> {
      const hashes = new Map(documents.map(({ number, sha256 }) => [number, sha256]));
      // PostgreSQL sorts the list for each word, which takes no time if it is sorted.
      const numbers = [...hashes.keys()].toSorted((a, b) => Number(a) - Number(b));
      const ranking = { query, limit, documents: numbers };
      const bestScore = embedder ? 2 * BEST_SCORE : BEST_SCORE;
      return rankTexts({ db, embedder, source: PASSAGES }, owner, ranking, async (trx, ranked) => {
        const keys = ranked.map(({ key }) => key);
        const found = new Map((await findPassages(trx, owner, keys)).map((passage) => [passage.number, passage]));
        const best = ranked.flatMap(({ key, score }) => {
          const passage = found.get(key);
          return passage ? { ...passage, isNear: false, score: score / bestScore } : [];
        });
        const near = withNeighbours === 0 ? [] : await findNeighbours(trx, owner, best.slice(0, withNeighbours));
        return [
          ...best,
          ...near.filter(({ number }) => !found.has(number)).map((passage) => ({ ...passage, isNear: true, score: 0 })),
        ].flatMap((passage) => {
          const sha256 = hashes.get(passage.document);
          return sha256 ? { ...passage, sha256 } : [];
        });
      });
    },

    /** The text of some pages, by page. */
    readPages: (
      owner: Owner,
      { number }: Pick<StoredDocument, 'number'>,
      range: { readonly from: number; readonly to: number },
    ): Promise<StoredPage[]> => withOwner(db, owner, (trx) => readPages(trx, owner, number, range)),

    /** What some pages of a PDF show. */
    async drawPages(
      owner: Owner,
      { sha256 }: Pick<StoredDocument, 'sha256'>,
      pages: readonly number[],
      signal: AbortSignal,
    ): Promise<Drawn> {
      return draw(await read(owner, sha256, signal), pages, signal);
    },
  };
}

const GIVEN_UP = { reason: 'The service stopped several times while it read this file.' };

function textOf(pages: readonly Page[]): ExtractedText {
  const passages = splitPages(pages);
  const bytes = passages.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  return {
    pages: pages.length,
    emptyPages: pages.filter(({ blocks }) => blocks.length === 0).length,
    tokens: Math.ceil(bytes / 4),
    passages,
  };
}
