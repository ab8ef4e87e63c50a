import type { AttachmentHash } from '../ids.ts';

/** The kinds of files whose text can be searched and read by page. */
export const DOCUMENT_KINDS = [
  'pdf',
  'docx',
  'xlsx',
  'pptx',
  'odt',
  'html',
  'markdown',
  'text',
  'csv',
  'json',
  'eml',
] as const;

export type DocumentKind = (typeof DOCUMENT_KINDS)[number];

/** The kind of a file by the end of its name; undefined if its text is not read. The bytes can be anything. */
export const documentKindOf = (path: string): DocumentKind | undefined =>
  KINDS[/\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? ''];

const KINDS: Readonly<Record<string, DocumentKind>> = {
  pdf: 'pdf',
  docx: 'docx',
  docm: 'docx',
  xlsx: 'xlsx',
  xlsm: 'xlsx',
  pptx: 'pptx',
  odt: 'odt',
  htm: 'html',
  html: 'html',
  md: 'markdown',
  markdown: 'markdown',
  txt: 'text',
  log: 'text',
  csv: 'csv',
  tsv: 'csv',
  json: 'json',
  eml: 'eml',
};

/** Kinds that `reborn_file_read` can't show as they are. */
export const needsExtraction = (kind: DocumentKind): boolean => /^(?:pdf|docx|xlsx|pptx|odt)$/.test(kind);

/** The version of the program that reads documents. It changes whenever the text of one can become another: then all are read again. */
export const EXTRACTOR = 1;

export type DocumentState = 'waiting' | 'ready' | 'failed';

/** What is known of a file's text. */
export type Document = {
  readonly sha256: AttachmentHash;
  readonly kind: DocumentKind;
  readonly state: DocumentState;
  /** Why it failed, as a sentence. */
  readonly reason: string | null;
  readonly pages: number;
  /** Pages of a PDF that are pictures, such as scans. */
  readonly emptyPages: number;
  /** About how many tokens its text has. */
  readonly tokens: number;
};

/** A piece of a page, with the headings above it. */
export type Block = { readonly heading: string; readonly text: string };

/** A page, a slide, some rows of a sheet, or a section; `label` says which. */
export type Page = { readonly label: string; readonly blocks: readonly Block[] };

/** A piece of a document that is found by itself. It is never part of two pages. */
export type Passage = {
  /** The number of the page, from 1. */
  readonly page: number;
  readonly label: string;
  readonly heading: string;
  readonly text: string;
};
