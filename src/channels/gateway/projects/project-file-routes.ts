import { z } from 'zod';
import type { ProjectFiles } from '#agent/projects/project-files.ts';
import { MOST_FILE_BYTES } from '#domain/workspace/changes.ts';
import type { Workspace } from '#domain/workspace/version.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { ownQuery, sendFile } from '../files/file-routes.ts';
import { fileList, renderFiles } from '../files/file-shape.ts';
import { projectParams } from './project-shape.ts';

type Services = { readonly projectFiles: ProjectFiles };

const path = '/api/projects/{id}/files/{path*}';
const params = projectParams.extend({ path: z.string().describe('The path of the file, such as data/costs.csv.') });
const render = (files: Workspace, { limits }: ProjectFiles) => renderFiles(files, new Map(), limits.workspaceBytes);

const listFiles = defineRoute({
  method: 'get',
  path: '/api/projects/{id}/files',
  summary: 'List the files of a project, which its threads can read.',
  params: projectParams,
  responses: { 200: { description: 'The files.', json: fileList } },
  errors: [404],
  async handle({ principal, params: { id } }, { projectFiles }: Services) {
    return render(await projectFiles.list(principal, id), projectFiles);
  },
});

const getFile = defineRoute({
  method: 'get',
  path,
  summary: 'Get the bytes of a file of a project.',
  params,
  responses: { 200: { description: 'The bytes, with the media type of a picture or as application/octet-stream.' } },
  errors: [400, 404],
  async handle({ principal, params: at, request, reply }, { projectFiles }: Services) {
    return sendFile(request, reply, await projectFiles.find(principal, at.id, at.path));
  },
});

const putFile = defineRoute({
  method: 'put',
  path,
  summary: 'Store a file of a project. Members need the role `write`.',
  params,
  query: ownQuery('`true`: the owner wrote it, so reading it does not count as reading text by others for them.'),
  bytes: 'The bytes of the file, up to 64 MiB.',
  bodyBytes: MOST_FILE_BYTES,
  responses: { 200: { description: 'The files after it.', json: fileList } },
  errors: [400, 404, 409, 413],
  async handle({ principal, params: at, query: { own }, bytes }, { projectFiles }: Services) {
    return render(await projectFiles.put(principal, at.id, at.path, bytes, own === 'true'), projectFiles);
  },
});

const removeFile = defineRoute({
  method: 'delete',
  path,
  summary: 'Remove a file of a project. Members need the role `write`.',
  params,
  responses: { 200: { description: 'The files after it.', json: fileList } },
  errors: [400, 404, 409],
  async handle({ principal, params: at }, { projectFiles }: Services) {
    return render(await projectFiles.remove(principal, at.id, at.path), projectFiles);
  },
});

export const projectFileRoutes = [listFiles, getFile, putFile, removeFile];
