import { z } from 'zod';
import type { VersionRow } from '#agent/workspace/workspaces.ts';
import type { AttachmentHash } from '#domain/ids.ts';
import { mediaTypeOf } from '#domain/text/media-type.ts';
import type { Document } from '#domain/workspace/document.ts';
import type { Workspace } from '#domain/workspace/version.ts';
import { renderAs } from '#http/routes/render-as.ts';

export const threadFile = z.strictObject({
  path: z.string(),
  bytes: z.int(),
  media_type: z.string().describe('By the end of the name.'),
  version: z.int().describe('The version that changed it last.'),
  document: z
    .strictObject({
      state: z.enum(['waiting', 'ready', 'failed']),
      reason: z.string().nullable().describe("Why its text can't be read."),
      pages: z.int(),
      empty_pages: z.int().describe('Pages without text, such as scans.'),
    })
    .nullable()
    .describe('Whether its text can be searched and read by page; null for a file without one, such as a picture.'),
});

export const fileList = z
  .strictObject({
    version: z.int().describe('0 as long as the thread had no file.'),
    files: z.array(threadFile).describe('Sorted by path.'),
    bytes: z.int().describe('Of all files in this version.'),
    quota_bytes: z.int().describe('The most bytes that the files of a thread can have.'),
  })
  .meta({ id: 'FileList' });

export const renderFiles = (
  { version, files }: Workspace,
  documents: ReadonlyMap<AttachmentHash, Document>,
  quota: number,
): z.infer<typeof fileList> => ({
  version,
  files: [...files.values()].map((file) =>
    renderAs(threadFile, file, {
      media_type: mediaTypeOf(file.path),
      document: renderDocument(documents.get(file.sha256)),
    }),
  ),
  bytes: [...files.values()].reduce((sum, { bytes }) => sum + bytes, 0),
  quota_bytes: quota,
});

const renderDocument = (document: Document | undefined): z.infer<typeof threadFile>['document'] =>
  document
    ? { state: document.state, reason: document.reason, pages: document.pages, empty_pages: document.emptyPages }
    : null;

export const documentPage = z
  .strictObject({
    path: z.string(),
    page: z.int(),
    pages: z.int().describe('How many pages the document has.'),
    label: z.string().describe('What the page is, such as a slide or the rows of a sheet.'),
    text: z.string().describe('Empty for a page without text, such as a scan.'),
  })
  .meta({ id: 'DocumentPage' });

export const fileVersion = z
  .strictObject({
    version: z.int(),
    cause: z
      .enum(['call', 'message', 'person', 'restore', 'copy'])
      .describe(
        'What made it: a call of the agent, a message with files, the owner, a restored version, a copied thread.',
      ),
    turn_id: z.uuid().nullable().describe('The turn whose call or message made it.'),
    created_at: z.iso.datetime(),
    changes: z
      .array(z.strictObject({ path: z.string(), bytes: z.int(), removed: z.boolean() }))
      .describe('The first 100 files that it changed.'),
  })
  .meta({ id: 'FileVersion' });

export const renderVersion = (row: VersionRow): z.infer<typeof fileVersion> =>
  renderAs(fileVersion, row, { changes: [...row.files] });
