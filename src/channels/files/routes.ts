import { z } from 'zod';
import type { Uploads } from '#agent/workspace/uploads.ts';
import { InvalidRequest } from '#domain/errors.ts';
import { MOST_FILE_BYTES } from '#domain/workspace/changes.ts';
import { PURPOSES, type Purpose } from '#domain/workspace/upload.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { FORM_BYTES, type Form, type FormFile, readForm } from '#http/routes/read-form.ts';
import { formatFileId, parseFileId } from '../model-api/file-id.ts';
import { renderPage } from '../model-api/page.ts';
import { deletedFile, fileObject, filePage, renderFile } from './file-object.ts';

export type FilesServices = { readonly uploads: Uploads };

const MOST = 10_000;
const LIMIT = `limit must be a whole number from 1 to ${MOST}.`;
const PURPOSE = `purpose must be ${PURPOSES.join(' or ')}.`;

const fileParams = z.object({
  id: z.string().transform((given, context) => {
    const id = parseFileId(given);
    if (!id) context.addIssue('This file does not exist.');
    return id ?? z.NEVER;
  }),
});

const createFile = defineRoute({
  method: 'post',
  path: '/api/v1/files',
  summary: 'Upload a file, to name it in later requests.',
  form: z
    .looseObject({
      file: z.string().describe('The file, up to 64 MiB.'),
      purpose: z.enum(PURPOSES).describe('Returned as it is; nothing depends on it.'),
    })
    .meta({ id: 'CreateFile', description: 'Unknown fields are ignored. `expires_after` is refused.' }),
  bodyBytes: MOST_FILE_BYTES + FORM_BYTES,
  responses: { 200: { description: 'The file.', json: fileObject } },
  errors: [400, 413],
  async handle({ principal, request }, { uploads }: FilesServices) {
    const form = await readForm(request, MOST_FILE_BYTES);
    const purpose = purposeOf(form);
    return renderFile(await uploads.create(principal, { ...fileOf(form), purpose }));
  },
});

function purposeOf({ fields }: Form): Purpose {
  const given = fields.get('purpose');
  const purpose = PURPOSES.find((known) => known === given);
  if (!purpose) throw new InvalidRequest('invalid_request', 'purpose', PURPOSE);
  if ([...fields.keys()].some((name) => /^expires_after\b/.test(name)))
    throw refuse('expires_after', 'expires_after is not supported. Leave it out, and delete the file when it is done.');
  return purpose;
}

function fileOf({ file }: Form): FormFile {
  if (file?.field !== 'file') throw refuse('file', 'file is required, with a name: the file to upload.');
  if (file.content.length === 0) throw refuse('file', 'The file is empty.');
  return file;
}

const refuse = (param: string, message: string) => new InvalidRequest('invalid_request', param, message);

const listFiles = defineRoute({
  method: 'get',
  path: '/api/v1/files',
  summary: "List the caller's uploaded files.",
  query: z.object({
    limit: z.coerce.number<string>(LIMIT).int(LIMIT).min(1, LIMIT).max(MOST, LIMIT).default(MOST),
    order: z.enum(['asc', 'desc'], 'order must be asc or desc.').default('desc').describe('By the time of the upload.'),
    after: z
      .string('after must be the id of a file.')
      .transform((given, context) => {
        const id = parseFileId(given);
        if (!id) context.addIssue('after must be the id of a file.');
        return id ?? z.NEVER;
      })
      .optional()
      .describe('The id of the last known file.'),
    purpose: z.enum(PURPOSES, PURPOSE).optional(),
  }),
  responses: { 200: { description: 'A page of files.', json: filePage } },
  errors: [400],
  async handle({ principal, query }, { uploads }: FilesServices) {
    return renderPage((await uploads.list(principal, query)).map(renderFile), query.limit);
  },
});

const getFile = defineRoute({
  method: 'get',
  path: '/api/v1/files/{id}',
  summary: 'Get what is known about an uploaded file.',
  params: fileParams,
  responses: { 200: { description: 'The file.', json: fileObject } },
  errors: [404],
  async handle({ principal, params }, { uploads }: FilesServices) {
    return renderFile(await uploads.get(principal, params.id));
  },
});

const getContent = defineRoute({
  method: 'get',
  path: '/api/v1/files/{id}/content',
  summary: 'Get the bytes of an uploaded file.',
  params: fileParams,
  responses: { 200: { description: 'The bytes, as application/octet-stream.' } },
  errors: [404],
  async handle({ principal, params, reply }, { uploads }: FilesServices) {
    const { upload, read } = await uploads.open(principal, params.id);
    const name = encodeURIComponent(upload.filename).replaceAll(/['()*]/g, escape);
    return reply
      .type('application/octet-stream') // a browser must save it: a shown page would run with the rights of the app
      .header('content-disposition', `attachment; filename*=UTF-8''${name}`)
      .header('cache-control', 'private, no-cache')
      .send(await read());
  },
});

const escape = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;

const deleteFile = defineRoute({
  method: 'delete',
  path: '/api/v1/files/{id}',
  summary: 'Delete an uploaded file. Messages that were sent with it keep their copy.',
  params: fileParams,
  responses: { 200: { description: 'It is deleted.', json: deletedFile } },
  errors: [404],
  async handle({ principal, params }, { uploads }: FilesServices) {
    await uploads.remove(principal, params.id);
    return { id: formatFileId(params.id), object: 'file' as const, deleted: true as const };
  },
});

/** Uploaded files. They are also served without `/api`. */
export const filesRoutes = [createFile, listFiles, getFile, getContent, deleteFile];
