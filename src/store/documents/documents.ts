import type { AttachmentHash } from '#domain/ids.ts';
import { type Document, type DocumentKind, EXTRACTOR, type Passage } from '#domain/workspace/document.ts';
import { type OwnedTransaction, type Owner, runStatement } from '../connection.ts';

/** A document that is stored, by its number. */
export type StoredDocument = Document & { readonly number: string };

const COLUMNS = `number, sha256, kind, reason, pages, empty_pages as "emptyPages", tokens,
  case when extractor = 0 then 'waiting' when reason is null then 'ready' else 'failed' end as state`;

/** Lists a file whose text is to be read, unless it is known. Its bytes must be stored. */
export async function insertDocument(
  trx: OwnedTransaction,
  owner: Owner,
  { sha256, kind }: { readonly sha256: AttachmentHash; readonly kind: DocumentKind },
): Promise<void> {
  await runStatement(trx, 'insert into documents (user_id, sha256, kind) values ($1, $2, $3) on conflict do nothing', [
    owner.userId,
    sha256,
    kind,
  ]);
}

/** Those of the owner's files that are documents. */
export function findDocuments(
  trx: OwnedTransaction,
  owner: Owner,
  hashes: readonly AttachmentHash[],
): Promise<StoredDocument[]> {
  if (hashes.length === 0) return Promise.resolve([]);
  return runStatement<StoredDocument>(
    trx,
    `select ${COLUMNS} from documents where user_id = $1 and sha256 = any ($2::text[])`,
    [owner.userId, hashes],
  );
}

export type ExtractedText = {
  readonly pages: number;
  readonly emptyPages: number;
  readonly tokens: number;
  readonly passages: readonly Passage[];
};

/** How many passages one statement writes, and the most that a row of a word lists: an entry of the index holds no more than 600. */
const PIECE = 250;

/** Replaces the text of a document, and with it the words by which it is found. */
export async function writePassages(
  trx: OwnedTransaction,
  owner: Owner,
  number: string,
  { pages, emptyPages, tokens, passages }: ExtractedText,
): Promise<void> {
  await deletePassages(trx, owner, number);
  for (let at = 0; at < passages.length; at += PIECE) {
    const piece = passages.slice(at, at + PIECE);
    await runStatement(trx, INSERT, [
      owner.userId,
      number,
      piece.map((_, index) => at + index + 1),
      piece.map(({ page }) => page),
      piece.map(({ label }) => label),
      piece.map(({ heading }) => heading),
      piece.map(({ text }) => text),
      at / PIECE,
    ]);
  }
  await runStatement(
    trx,
    `update documents set extractor = $3, reason = null, pages = $4, empty_pages = $5, tokens = $6, attempts = 0
     where user_id = $1 and number = $2`,
    [owner.userId, number, EXTRACTOR, pages, emptyPages, tokens],
  );
}

const INSERT = `
  with given as materialized (
    select * from unnest($3::integer[], $4::integer[], $5::text[], $6::text[], $7::text[])
      as given (position, page, label, heading, text)
  ), written as (
    insert into passages (document, user_id, position, page, label, heading, text)
    select $2, $1, position, page, label, heading, text from given
  )
  insert into document_words (user_id, word, document, piece, positions)
  select $1, lexeme, $2, $8::integer, array_agg(position order by position)
  from given, note_lexemes(heading || ' ' || text) as lexeme group by lexeme`;

/** The document can't be read, and has no text. */
export async function writeFailure(trx: OwnedTransaction, owner: Owner, number: string, reason: string): Promise<void> {
  await deletePassages(trx, owner, number);
  await runStatement(
    trx,
    `update documents set extractor = $3, reason = $4, pages = 0, empty_pages = 0, tokens = 0, attempts = 0
     where user_id = $1 and number = $2`,
    [owner.userId, number, EXTRACTOR, reason],
  );
}

async function deletePassages(trx: OwnedTransaction, owner: Owner, number: string): Promise<void> {
  await runStatement(trx, 'delete from document_words where document = $1 and user_id = $2', [number, owner.userId]);
  await runStatement(trx, 'delete from passages where document = $1 and user_id = $2', [number, owner.userId]);
}

/** A passage, and where it is. */
export type StoredPassage = Passage & {
  readonly number: string;
  readonly document: string;
  readonly position: number;
};

const PASSAGE = 'number, document, position, page, label, heading, text';

export function findPassages(
  trx: OwnedTransaction,
  owner: Owner,
  numbers: readonly string[],
): Promise<StoredPassage[]> {
  return runStatement<StoredPassage>(
    trx,
    `select ${PASSAGE} from passages where user_id = $1 and number = any ($2::bigint[])`,
    [owner.userId, numbers],
  );
}

/** The passages right before and after these. */
export function findNeighbours(
  trx: OwnedTransaction,
  owner: Owner,
  passages: readonly Pick<StoredPassage, 'document' | 'position'>[],
): Promise<StoredPassage[]> {
  return runStatement<StoredPassage>(
    trx,
    `select ${PASSAGE} from passages
     where user_id = $1 and (document, position) in (
       select wanted, near + step from unnest($2::bigint[], $3::integer[]) as given (wanted, near), unnest('{-1,1}'::integer[]) as step)`,
    [owner.userId, passages.map(({ document }) => document), passages.map(({ position }) => position)],
  );
}

/** A page of a document that has text. */
export type StoredPage = { readonly page: number; readonly label: string; readonly text: string };

/** The text of these pages, in their order. */
export async function readPages(
  trx: OwnedTransaction,
  owner: Owner,
  document: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<StoredPage[]> {
  const passages = await runStatement<StoredPage>(
    trx,
    `select page, label, text from passages
     where user_id = $1 and document = $2 and page between $3 and $4 order by position`,
    [owner.userId, document, from, to],
  );
  return [...Map.groupBy(passages, ({ page }) => page)].map(([page, inside]) => ({
    page,
    label: inside[0]?.label ?? '',
    text: joinPassages(inside.map(({ text }) => text)),
  }));
}

/** A passage may end within a text whose language does not separate its words. */
const joinPassages = (texts: readonly string[]): string =>
  texts.reduce((all, text) => all + (UNSPACED_END.test(all) && UNSPACED_START.test(text) ? '' : '\n\n') + text);

const UNSPACED_END = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}。、]$/u;
const UNSPACED_START = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u;
