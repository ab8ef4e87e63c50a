import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Workspaces } from '#agent/workspace/workspaces.ts';
import type { Principal } from '#domain/principal.ts';
import { mediaTypeOf } from '#domain/text/media-type.ts';
import { MOST_FILE_BYTES } from '#domain/workspace/changes.ts';
import type { Workspace, WorkspaceFile } from '#domain/workspace/version.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { pageLimit } from '../page.ts';
import { sendAttachment } from '../threads/item-routes.ts';
import { threadParams } from '../threads/thread-shape.ts';
import { documentPage, fileList, fileVersion, renderFiles, renderVersion } from './file-shape.ts';
import { zipFiles } from './zip-files.ts';

const render = async (workspaces: Workspaces, owner: Pick<Principal, 'userId'>, files: Workspace) =>
  renderFiles(files, await workspaces.documentsOf(owner, files), workspaces.limits.workspaceBytes);

type Services = { readonly workspaces: Workspaces };

const path = '/api/threads/{id}/files/{path*}';
const params = threadParams.extend({ path: z.string().describe('The path of the file, such as data/costs.csv.') });
const anyVersion = z.coerce
  .number<string>('version must be a number.')
  .int('version must be a whole number.')
  .min(0, 'version must be 0 or more.')
  .max(2_147_483_647, 'This version does not exist.');
const query = z.object({ version: anyVersion.optional().describe('The newest one when left out.') });

const listFiles = defineRoute({
  method: 'get',
  path: '/api/threads/{id}/files',
  summary: 'List the files of a thread.',
  params: threadParams,
  query,
  responses: { 200: { description: 'The files in a version.', json: fileList } },
  errors: [400, 404],
  async handle({ principal, params: { id }, query: { version } }, { workspaces }: Services) {
    return render(workspaces, principal, await workspaces.list(principal, id, version));
  },
});

const getFile = defineRoute({
  method: 'get',
  path,
  summary: 'Get the bytes of a file.',
  params,
  query,
  responses: { 200: { description: 'The bytes, with the media type of a picture or as application/octet-stream.' } },
  errors: [400, 404],
  async handle({ principal, params: at, query: { version }, request, reply }, { workspaces }: Services) {
    return sendFile(request, reply, await workspaces.find(principal, at.id, at.path, version));
  },
});

type OpenFile = { readonly file: WorkspaceFile; readonly read: () => Promise<Buffer> };

export function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { file, read }: OpenFile,
): Promise<FastifyReply> {
  reply.header('cache-control', 'private, no-cache').header('cross-origin-resource-policy', 'same-origin');
  const filename = file.path.split('/').at(-1) ?? file.path;
  return sendAttachment(request, reply, { mediaType: mediaTypeOf(file.path), filename, hash: file.sha256, read });
}

const getPage = defineRoute({
  method: 'get',
  path: '/api/threads/{id}/file-pages',
  summary: 'Get the text of a page of a document, as an answer cites it.',
  params: threadParams,
  query: z.object({
    path: z.string('path must be given once.'),
    page: z.coerce
      .number<string>('page must be a number.')
      .int('page must be a whole number.')
      .min(1, 'page must be 1 or more.')
      .max(2_147_483_647, 'This page does not exist.'),
  }),
  responses: { 200: { description: 'The text of the page.', json: documentPage } },
  errors: [400, 404],
  handle: ({ principal, params: { id }, query: at }, { workspaces }: Services) =>
    workspaces.readPage(principal, id, at.path, at.page),
});

/** Who wrote a file that is stored. */
export const ownQuery = (meaning: string) =>
  z.object({ own: z.enum(['true', 'false'], 'own must be true or false.').optional().describe(meaning) });

const putFile = defineRoute({
  method: 'put',
  path,
  summary: 'Store a file, as a new version.',
  params,
  query: ownQuery('`true`: the caller wrote it, so reading it does not count as reading text by others.'),
  bytes: 'The bytes of the file, up to 64 MiB.',
  bodyBytes: MOST_FILE_BYTES,
  responses: { 200: { description: 'The files after it.', json: fileList } },
  errors: [400, 404, 409, 413],
  async handle({ principal, params: at, query: { own }, bytes }, { workspaces }: Services) {
    return render(workspaces, principal, await workspaces.put(principal, at.id, at.path, bytes, own === 'true'));
  },
});

const removeFile = defineRoute({
  method: 'delete',
  path,
  summary: 'Remove a file, as a new version. Older versions still have it.',
  params,
  responses: { 200: { description: 'The files after it.', json: fileList } },
  errors: [400, 404, 409],
  async handle({ principal, params: at }, { workspaces }: Services) {
    return render(workspaces, principal, await workspaces.remove(principal, at.id, at.path));
  },
});

const listVersions = defineRoute({
  method: 'get',
  path: '/api/threads/{id}/file-versions',
  summary: 'List the versions of the files of a thread, or of one file, newest first.',
  params: threadParams,
  query: z.object({
    path: z.string('path must be given once.').optional().describe('Only versions that changed this file.'),
    before: anyVersion.optional().describe('Only versions with a smaller number.'),
    limit: pageLimit(50, 200),
  }),
  responses: {
    200: {
      description: 'The newest versions before `before`.',
      json: z.strictObject({ versions: z.array(fileVersion) }).meta({ id: 'FileVersionList' }),
    },
  },
  errors: [400, 404],
  async handle({ principal, params: { id }, query: page }, { workspaces }: Services) {
    return { versions: (await workspaces.versions(principal, id, page)).map(renderVersion) };
  },
});

const restoreFiles = defineRoute({
  method: 'post',
  path: '/api/threads/{id}/file-versions/{version}/restore',
  summary: 'Restore one or all files of a version, as a new version.',
  params: threadParams.extend({ version: anyVersion }),
  body: z
    .strictObject({ path: z.string('path must be a string.').optional().describe('All files when left out.') })
    .meta({ id: 'RestoreFiles' }),
  responses: { 200: { description: 'The files after it.', json: fileList } },
  errors: [400, 404, 409],
  async handle({ principal, params: { id, version }, body }, { workspaces }: Services) {
    return render(workspaces, principal, await workspaces.restore(principal, id, version, body.path));
  },
});

const zipRoute = defineRoute({
  method: 'get',
  path: '/api/threads/{id}/files.zip',
  summary: 'Get all files of a thread as a zip archive.',
  params: threadParams,
  query,
  responses: { 200: { description: 'The archive.' } },
  errors: [400, 404],
  async handle({ principal, params: { id }, query: { version }, reply }, { workspaces }: Services) {
    const { files } = await workspaces.list(principal, id, version);
    return reply
      .type('application/zip')
      .header('content-disposition', 'attachment; filename="files.zip"')
      .header('cache-control', 'private, no-cache')
      .send(zipFiles([...files.values()], (some) => workspaces.bytesOf(principal, some)));
  },
});

export const fileRoutes = [
  listFiles,
  zipRoute,
  getFile,
  getPage,
  putFile,
  removeFile,
  listVersions,
  restoreFiles,
] as const;
