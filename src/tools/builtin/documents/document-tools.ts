import { z } from 'zod';
import type { Documents } from '#documents/documents.ts';
import { NotFound } from '#domain/errors.ts';
import { documentKindOf } from '#domain/workspace/document.ts';
import { normalizeFilePath } from '#domain/workspace/path.ts';
import type { WorkspaceFile } from '#domain/workspace/version.ts';
import type { StoredDocument } from '#store/documents/documents.ts';
import type { Tool, ToolContext } from '../../tool.ts';
import { FILE_FLOW, openFiles } from '../files/open-files.ts';
import { textTool } from '../json-tool.ts';
import { describeDocument, placeOf, readDocument } from './read-document.ts';

/** The part of the documents that tools use. */
export type ReadableDocuments = Pick<Documents, 'findRead' | 'search' | 'readPages' | 'drawPages'>;

/** Documents of a thread that have fewer tokens together are better read than searched. */
const SMALL_TOKENS = 30_000;
const MOST_QUERY = 1000;

/** Finds and reads what is in the documents of a conversation. What they read keeps the origin of the files. */
export const documentTools = (documents: ReadableDocuments): Tool[] =>
  [searchTool(documents), readTool(documents)].map((tool) => ({ ...tool, needsDocuments: true as const }));

const searchTool = (documents: ReadableDocuments): Tool =>
  textTool({
    name: 'reborn_document_search',
    description:
      'Finds passages in the documents of this conversation (PDF, Word, Excel, PowerPoint, mail and others) by words and meaning. Use several short queries. That nothing is found does not mean that it is not in the document: read the pages before you say so. Cite what you use as [file, p. 7], and put words that you take over in quotation marks.',
    parameters: z.strictObject({
      query: z.string().min(1).max(MOST_QUERY).describe('What to look for, in the language of the document.'),
      file: z.string().min(1).describe('Only in this file, such as lease.pdf.').optional(),
    }),
    flow: FILE_FLOW,
    act: async ({ query, file }, owner, context) => {
      const listed = await listDocuments(documents, context, file);
      const ready = listed.filter(({ document }) => document.state === 'ready');
      const found =
        ready.length === 0
          ? []
          : await documents.search(
              owner,
              ready.map(({ document }) => document),
              query,
            );
      const paths = new Map(ready.map(({ path, document }) => [document.sha256, path]));
      const passages = found.map(({ sha256, page, label, heading, text, isNear }) =>
        [
          `## ${[paths.get(sha256), placeOf(page, label), heading].filter(Boolean).join(', ')}${isNear ? ' (beside a passage above)' : ''}`,
          text,
        ].join('\n'),
      );
      return [
        passages.join('\n\n') || 'Nothing was found. It may be in the documents all the same, in other words.',
        ...notesOn(listed),
      ].join('\n\n');
    },
  });

const readTool = (documents: ReadableDocuments): Tool =>
  textTool({
    name: 'reborn_document_read',
    description:
      'Reads a document of this conversation by page: a page of a PDF, a slide, a hundred rows of a sheet, or a section. Without `pages` it begins at the first page, and a small document is read whole. Pages of a PDF that have no text, such as scans, are shown as pictures.',
    parameters: z.strictObject({
      file: z.string().min(1).describe('Path of the file, such as lease.pdf.'),
      pages: z
        .string()
        .regex(/^\d{1,6}(?:-\d{1,6})?$/)
        .describe('One page or a range, such as 7 or 3-9.')
        .optional(),
    }),
    flow: FILE_FLOW,
    act: async ({ file, pages }, _, context) => {
      const [listed] = await listDocuments(documents, context, file);
      return listed ? readDocument(documents, context, listed, pages) : '';
    },
  });

type Listed = { readonly path: string; readonly document: StoredDocument };

/** The documents among the files, or one of them. It waits a moment for those that are being read. */
async function listDocuments(documents: ReadableDocuments, context: ToolContext, given?: string): Promise<Listed[]> {
  const { files } = await openFiles(context);
  const at = given === undefined ? undefined : normalizeFilePath(given);
  const wanted: WorkspaceFile[] = [...files.values()].filter(({ path }) =>
    at === undefined ? documentKindOf(path) : path === at,
  );
  if (at !== undefined && wanted.length === 0)
    throw new NotFound(`The file ${at} does not exist. Use reborn_file_list.`);
  const hashes = wanted.map(({ sha256 }) => sha256);
  const found = await documents.findRead(context.owner, hashes, context.signal);
  const byHash = new Map(found.map((document) => [document.sha256, document]));
  const listed = wanted.flatMap(({ path, sha256 }) => {
    const document = byHash.get(sha256);
    return document ? { path, document } : [];
  });
  if (listed.length === 0)
    throw new NotFound(
      at === undefined ? 'There are no documents here.' : `${at} is not a document. Use reborn_file_read.`,
    );
  return listed;
}

/** What the model must know to judge the result. */
function notesOn(listed: readonly Listed[]): string[] {
  const unread = listed
    .filter(({ document }) => document.state !== 'ready')
    .map(({ path, document }) => `${path}: ${describeDocument(document)}`);
  const scans = listed
    .filter(({ document }) => document.emptyPages > 0)
    .map(({ path, document }) => `${path}: ${describeDocument(document)}`);
  const tokens = listed.reduce((sum, { document }) => sum + document.tokens, 0);
  const small =
    tokens < SMALL_TOKENS
      ? [
          'These documents are small: read them whole with reborn_document_read before you deny that something is in them.',
        ]
      : [];
  return [...unread, ...scans, ...small];
}
