import { z } from 'zod';
import type { Documents } from '#documents/documents.ts';
import { NotFound } from '#domain/errors.ts';
import { isShownPicture, mediaTypeOf, pictureTypeOf } from '#domain/text/media-type.ts';
import { inWords } from '#domain/workspace/changes.ts';
import { documentKindOf, needsExtraction } from '#domain/workspace/document.ts';
import { normalizeFilePath } from '#domain/workspace/path.ts';
import type { Workspace, WorkspaceFile } from '#domain/workspace/version.ts';
import type { Tool, ToolContext } from '../../tool.ts';
import { describeDocument, readDocument } from '../documents/read-document.ts';
import { textTool } from '../json-tool.ts';
import { findInFiles } from './find-in-files.ts';
import { matchesGlob } from './glob.ts';
import { numberLines } from './number-lines.ts';
import { FILE_FLOW as FLOW, openFiles, workspaceOf } from './open-files.ts';

/**
 * Works on the thread's files without running code. All can be repeated: nothing is written before the output is. They reach no one
 * but the person, and older versions are kept, so they run in every situation. What they read keeps the origin of the workspace.
 */
export const fileTools = (documents: FileDocuments): Tool[] => [
  listTool(documents),
  readTool(documents),
  writeTool,
  editTool,
  findTool,
  presentTool,
];

type FileDocuments = Pick<Documents, 'find' | 'findRead' | 'readPages' | 'drawPages'>;

const MOST_LISTED = 500;
const MOST_LINES = 2000;
const MOST_FOUND = 100;
/** Larger files are read in the sandbox. */
const MOST_TEXT = 10_000_000;
/** Providers refuse larger ones. */
const MOST_PICTURE = 3_500_000;

const path = z.string().min(1).describe('Such as data/costs.csv.');
const somePaths = z.string().min(1).max(200).describe('Only paths like *.csv or data/**.').optional();

const listTool = (documents: FileDocuments) =>
  textTool({
    name: 'reborn_file_list',
    description:
      'Lists the files of this conversation: those that the user attached and you made, all of which are kept. `version`: the one that changed the file last.',
    parameters: z.strictObject({
      pattern: somePaths,
    }),
    flow: FLOW,
    act: async ({ pattern }, owner, context) => {
      const { files } = await openFiles(context);
      const listed = [...files.values()].filter((file) => !pattern || matchesGlob(file.path, pattern));
      if (listed.length === 0) return pattern ? `No file matches ${pattern}.` : 'There are no files yet.';
      const shown = listed.slice(0, MOST_LISTED);
      const hashes = shown.filter((file) => documentKindOf(file.path)).map(({ sha256 }) => sha256);
      const read = new Map((await documents.find(owner, hashes)).map((document) => [document.sha256, document]));
      const lines = shown.map((file) => {
        const document = read.get(file.sha256);
        const line = `${file.path} (${inWords(file.bytes)}, version ${file.version})`;
        return document ? `${line}: ${describeDocument(document)}` : line;
      });
      if (listed.length > MOST_LISTED) lines.push(`and ${listed.length - MOST_LISTED} more; use a pattern`);
      return lines.join('\n');
    },
  });

const readTool = (documents: FileDocuments) =>
  textTool({
    name: 'reborn_file_read',
    description:
      'Reads a file of this conversation: a text with numbered lines; a picture; a PDF or a file of Word, Excel, PowerPoint or LibreOffice by page.',
    parameters: z.strictObject({
      path,
      from_line: z.int().min(1).describe('1 when left out.').optional(),
      lines: z.int().min(1).max(MOST_LINES).describe(`${MOST_LINES} when left out.`).optional(),
      pages: z
        .string()
        .regex(/^\d{1,6}(?:-\d{1,6})?$/)
        .describe('Of a document: one page or a range, such as 7 or 3-9.')
        .optional(),
    }),
    flow: FLOW,
    act: async ({ path: given, from_line: from = 1, lines = MOST_LINES, pages }, owner, context) => {
      const file = requireFile(await openFiles(context), given);
      const kind = documentKindOf(file.path);
      if (kind && (pages !== undefined || needsExtraction(kind))) {
        const [document] = await documents.findRead(owner, [file.sha256], context.signal);
        if (document) return readDocument(documents, context, { path: file.path, document }, pages);
      }
      if (await showPicture(context, file)) return `${file.path}: a picture of ${inWords(file.bytes)}.`;
      const text = await readText(context, file);
      return 'problem' in text ? text.problem : numberLines(text.text, from, lines);
    },
  });

const writeTool = textTool({
  name: 'reborn_file_write',
  description:
    'Writes a text file of this conversation, and replaces what is at this path; earlier versions are kept. To hand it over to the user, call reborn_file_present.',
  parameters: z.strictObject({ path, text: z.string().max(MOST_TEXT).describe('All of it.') }),
  flow: { ...FLOW, reads: {} },
  act: async ({ path: given, text }, _, context) => {
    const at = normalizeFilePath(given);
    const { files } = await workspaceOf(context).open();
    const mode = files.get(at)?.mode;
    workspaceOf(context).stage([{ path: at, content: Buffer.from(text.toWellFormed()), ...(mode && { mode }) }]);
    return `Written: ${at}, ${countLines(text)} ${countLines(text) === 1 ? 'line' : 'lines'}.`;
  },
});

const editTool = textTool({
  name: 'reborn_file_edit',
  description:
    'Replaces text in a file of this conversation. `old` must be exactly as in the file, and occur once unless `all` is true.',
  parameters: z.strictObject({
    path,
    old: z.string().min(1),
    new: z.string(),
    all: z.boolean().optional(),
  }),
  flow: FLOW,
  act: async ({ path: given, old, new: replacement, all = false }, _, context) => {
    const file = requireFile(await openFiles(context), given);
    const read = await readText(context, file);
    if ('problem' in read) return read.problem;
    const pieces = read.text.split(old);
    const found = pieces.length - 1;
    if (found === 0) return `Not changed: ${file.path} does not contain this text. Read the file again.`;
    if (found > 1 && !all)
      return `Not changed: the text occurs ${found} times in ${file.path}. Give more of what is around it.`;
    const text = pieces.join(replacement);
    workspaceOf(context).stage([{ path: file.path, content: Buffer.from(text.toWellFormed()), mode: file.mode }]);
    const first = (pieces[0] ?? '').split('\n').length;
    const around = numberLines(text, Math.max(1, first - 2), countLines(replacement) + 4);
    return `Changed ${found === 1 ? 'once' : `${found} times, first`}:\n${around}`;
  },
});

const findTool = textTool({
  name: 'reborn_file_find',
  description:
    'Searches the text files of this conversation line by line, for `text` in any case or for `pattern`, a regular expression (RE2).',
  parameters: z
    .strictObject({
      text: z.string().min(1).max(1000).optional(),
      pattern: z.string().min(1).max(1000).optional(),
      path: somePaths,
    })
    .refine((given) => (given.text === undefined) !== (given.pattern === undefined), 'Give either text or pattern.'),
  flow: FLOW,
  act: async (given, _, context) => {
    const { files } = await openFiles(context);
    const at = given.path;
    const searched = [...files.values()].filter(
      (file) => file.bytes <= MOST_TEXT && (!at || matchesGlob(file.path, at)),
    );
    const read = (file: WorkspaceFile) => readText(context, file);
    const found = await findInFiles(searched, read, given, MOST_FOUND);
    return found.length === 0 ? 'Not found.' : found.join('\n');
  },
});

const presentTool = textTool({
  name: 'reborn_file_present',
  description:
    'Shows files of this conversation to the user, who can open and download them. Nothing else hands a file over: links do not work.',
  parameters: z.strictObject({
    paths: z.array(z.string().min(1)).min(1).max(10),
    title: z.string().max(200).describe('What they are, in a few words.').optional(),
  }),
  flow: { ...FLOW, reads: {} },
  act: async ({ paths }, _, context) => {
    const workspace = await workspaceOf(context).open();
    const shown = paths.map((given) => requireFile(workspace, given));
    for (const { path: at, sha256, bytes } of shown) {
      const media = mediaTypeOf(at);
      const kind = isShownPicture(media) ? ({ type: 'image' } as const) : ({ type: 'file' } as const);
      context.onFile?.({ ...kind, filename: at, mediaType: media, sha256, bytes });
    }
    return `Shown to the user: ${shown.map((file) => file.path).join(', ')}.`;
  },
});

function requireFile({ files }: Workspace, given: string): WorkspaceFile {
  const at = normalizeFilePath(given);
  const file = files.get(at);
  if (!file) throw new NotFound(`The file ${at} does not exist. Use reborn_file_list.`);
  return file;
}

/** Whether the file is a picture, which the model then gets. The name says nothing certain: a provider would refuse other bytes. */
async function showPicture(context: ToolContext, file: WorkspaceFile): Promise<boolean> {
  const { path: filename, sha256, bytes } = file;
  if (!isShownPicture(mediaTypeOf(filename)) || bytes > MOST_PICTURE) return false;
  const mediaType = pictureTypeOf(await workspaceOf(context).read(file));
  if (mediaType) context.onFile?.({ type: 'image', filename, mediaType, sha256, bytes, forModel: true });
  return mediaType !== undefined;
}

/** A file is text if it is valid UTF-8 without the character U+0000. */
async function readText(
  context: ToolContext,
  file: WorkspaceFile,
): Promise<{ readonly text: string } | { readonly problem: string }> {
  if (file.bytes > MOST_TEXT)
    return { problem: `${file.path} is too large to be read as text: ${inWords(file.bytes)}.` };
  const bytes = await workspaceOf(context).read(file);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return { text };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  return { problem: `${file.path} is not a text: ${mediaTypeOf(file.path)}, ${inWords(file.bytes)}.` };
}

const countLines = (text: string): number => text.replace(/\n$/, '').split('\n').length;
