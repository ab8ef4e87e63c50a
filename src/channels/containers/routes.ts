import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Containers } from '#agent/workspace/containers.ts';
import { InvalidRequest } from '#domain/errors.ts';
import type { UploadId } from '#domain/ids.ts';
import { isObject } from '#domain/is-object.ts';
import { MOST_FILE_BYTES } from '#domain/workspace/changes.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { FORM_BYTES, readForm } from '#http/routes/read-form.ts';
import { CONTAINER_FILE_ID, formatContainerId, parseContainerId } from '../model-api/container-id.ts';
import { fileId, parseFileId, uploadId } from '../model-api/file-id.ts';
import { pageQuery, renderPage } from '../model-api/page.ts';
import {
  containerFileObject,
  containerFilePage,
  containerObject,
  containerPage,
  deletedContainer,
  deletedContainerFile,
  renderContainer,
  renderContainerFile,
} from './container-object.ts';

export type ContainersServices = { readonly containers: Containers };

const LONGEST_MINUTES = 525_600;

const id = z.string().transform((given, context) => {
  const found = parseContainerId(given);
  if (!found) context.addIssue('This container does not exist, or it has expired.');
  return found ?? z.NEVER;
});

/** The digits of a file's id. */
const file = z.string().transform((given, context) => {
  const [, digits] = CONTAINER_FILE_ID.exec(given) ?? [];
  if (digits === undefined) context.addIssue('This file does not exist.');
  return digits ?? z.NEVER;
});

const containerParams = z.object({ id });
const fileParams = z.object({ id, file });

const newContainer = z
  .looseObject({
    name: z.string('name is required: a text.').min(1).max(256),
    file_ids: z.array(uploadId).max(20).nullish().describe('Uploaded files that it begins with.'),
    expires_after: z
      .looseObject({
        anchor: z.literal('last_active_at', 'expires_after.anchor must be last_active_at.'),
        minutes: z.int().min(1).max(LONGEST_MINUTES),
      })
      .nullish()
      .describe('Without it, the container stays until it is deleted.'),
    memory_limit: z.enum(['1g', '4g', '16g', '64g']).nullish().describe('Accepted; the operator limits memory.'),
    network_policy: z
      .looseObject({ type: z.literal('disabled', 'Code has no network here: network_policy.type must be disabled.') })
      .nullish(),
  })
  .meta({ id: 'CreateContainer', description: 'Unknown fields are ignored.' });

const createContainer = defineRoute({
  method: 'post',
  path: '/api/v1/containers',
  summary: 'Create a container: files that code of several conversations can work on.',
  body: newContainer,
  responses: { 200: { description: 'The container.', json: containerObject } },
  errors: [400, 404, 409],
  async handle({ principal, body }, { containers }: ContainersServices) {
    const { name, file_ids: uploads, expires_after: expiry } = body;
    const created = { name, expiresMinutes: expiry?.minutes ?? null, uploads: uploads ?? [] };
    return renderContainer(await containers.create(principal, created));
  },
});

const getContainers = defineRoute({
  method: 'get',
  path: '/api/v1/containers',
  summary: "List the caller's containers, except containers of conversations.",
  query: z.object({
    ...pageQuery,
    after: id.optional().describe('The id of the last known container.'),
    name: z.string().optional().describe('Only containers with this name.'),
  }),
  responses: { 200: { description: 'A page of containers.', json: containerPage } },
  errors: [400],
  async handle({ principal, query }, { containers }: ContainersServices) {
    return renderPage((await containers.list(principal, query)).map(renderContainer), query.limit);
  },
});

const getContainer = defineRoute({
  method: 'get',
  path: '/api/v1/containers/{id}',
  summary: 'Get a container.',
  params: containerParams,
  responses: { 200: { description: 'The container.', json: containerObject } },
  errors: [404],
  async handle({ principal, params }, { containers }: ContainersServices) {
    return renderContainer(await containers.get(principal, params.id));
  },
});

const deleteContainer = defineRoute({
  method: 'delete',
  path: '/api/v1/containers/{id}',
  summary: 'Delete a container with its files.',
  params: containerParams,
  responses: { 200: { description: 'It is deleted.', json: deletedContainer } },
  errors: [400, 404],
  async handle({ principal, params }, { containers }: ContainersServices) {
    await containers.remove(principal, params.id);
    return { id: formatContainerId(params.id), object: 'container.deleted' as const, deleted: true as const };
  },
});

const createContainerFile = defineRoute({
  method: 'post',
  path: '/api/v1/containers/{id}/files',
  summary: 'Add a file to a container. One with the same name is replaced, and its id stays.',
  params: containerParams,
  form: z
    .looseObject({
      file: z.string().optional().describe('The file, up to 64 MiB.'),
      file_id: fileId.optional(),
    })
    .meta({ id: 'CreateContainerFile', description: 'Either `file` or `file_id`, which can be sent as JSON, too.' }),
  alsoJson: true,
  bodyBytes: MOST_FILE_BYTES + FORM_BYTES,
  responses: { 200: { description: 'The file.', json: containerFileObject } },
  errors: [400, 404, 413],
  async handle({ principal, params, request }, { containers }: ContainersServices) {
    const given = await readFile(request);
    const added =
      'upload' in given
        ? await containers.addUpload(principal, params.id, given.upload)
        : await containers.addFile(principal, params.id, given);
    return renderContainerFile(params.id, added);
  },
});

type GivenFile = { readonly upload: UploadId } | { readonly filename: string; readonly content: Buffer };

async function readFile(request: FastifyRequest): Promise<GivenFile> {
  const { body } = request;
  const form = body instanceof Readable ? await readForm(request, MOST_FILE_BYTES) : undefined;
  if (form?.file?.field === 'file') return form.file;
  const named = form ? form.fields.get('file_id') : isObject(body) && body['file_id'];
  const upload = typeof named === 'string' ? parseFileId(named) : undefined;
  if (!upload)
    throw new InvalidRequest(
      'invalid_request',
      'file',
      'Send a file as file, or the id of an uploaded one as file_id.',
    );
  return { upload };
}

const getContainerFiles = defineRoute({
  method: 'get',
  path: '/api/v1/containers/{id}/files',
  summary: 'List the files of a container, by their last change.',
  params: containerParams,
  query: z.object({
    ...pageQuery,
    after: z.string().optional().describe('The id of the last known file.'),
  }),
  responses: { 200: { description: 'A page of files.', json: containerFilePage } },
  errors: [400, 404],
  async handle({ principal, params, query }, { containers }: ContainersServices) {
    const { limit, order, after } = query;
    const found = await containers.filesOf(principal, params.id);
    const all = found.map((each) => renderContainerFile(params.id, each));
    const ordered = order === 'asc' ? all : all.toReversed();
    const last = after === undefined ? -1 : ordered.findIndex((each) => each.id === after);
    if (after !== undefined && last < 0)
      throw new InvalidRequest('invalid_request', 'after', 'after must be the id of one of these files.');
    return renderPage(ordered.slice(last + 1), limit);
  },
});

const getContainerFile = defineRoute({
  method: 'get',
  path: '/api/v1/containers/{id}/files/{file}',
  summary: 'Get what is known about a file of a container.',
  params: fileParams,
  responses: { 200: { description: 'The file.', json: containerFileObject } },
  errors: [404],
  async handle({ principal, params }, { containers }: ContainersServices) {
    return renderContainerFile(params.id, await containers.getFile(principal, params.id, params.file));
  },
});

const getContainerFileContent = defineRoute({
  method: 'get',
  path: '/api/v1/containers/{id}/files/{file}/content',
  summary: 'Get the bytes of a file of a container.',
  params: fileParams,
  responses: { 200: { description: 'The bytes, as application/octet-stream.' } },
  errors: [404],
  async handle({ principal, params, reply }, { containers }: ContainersServices) {
    const { read } = await containers.openFile(principal, params.id, params.file);
    return reply
      .type('application/octet-stream') // a browser must save it: a shown page would run with the rights of the app
      .header('content-disposition', 'attachment')
      .header('cache-control', 'private, no-cache')
      .send(await read());
  },
});

const deleteContainerFile = defineRoute({
  method: 'delete',
  path: '/api/v1/containers/{id}/files/{file}',
  summary: 'Delete a file of a container.',
  params: fileParams,
  responses: { 200: { description: 'It is deleted.', json: deletedContainerFile } },
  errors: [404],
  async handle({ principal, params }, { containers }: ContainersServices) {
    await containers.removeFile(principal, params.id, params.file);
    return { id: `cfile_${params.file}`, object: 'container.file.deleted' as const, deleted: true as const };
  },
});

/** Containers: workspaces as callers of the API see them. They are also served without `/api`. */
export const containersRoutes = [
  createContainer,
  getContainers,
  getContainer,
  deleteContainer,
  createContainerFile,
  getContainerFiles,
  getContainerFile,
  getContainerFileContent,
  deleteContainerFile,
];
