import { z } from 'zod';
import type { Folders } from '#agent/threads/folders.ts';
import type { FolderId } from '#domain/ids.ts';
import type { Folder } from '#domain/thread/folder.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { renderAs } from '#http/routes/render-as.ts';
import { uuid } from '#http/routes/uuid.ts';
import { toOneLine } from './one-line.ts';

type Services = { readonly folders: Folders };

const folder = z.strictObject({ id: z.uuid(), name: z.string(), created_at: z.iso.datetime() }).meta({ id: 'Folder' });

const params = z.object({ id: uuid<FolderId>('This folder does not exist.') });

const folderName = z
  .object({
    name: z
      .string('name is required and must be a string.')
      .max(100, 'name may have 100 characters.')
      .refine((name) => toOneLine(name) !== '', 'name is required.'),
  })
  .meta({ id: 'FolderName' });

const listFolders = defineRoute({
  method: 'get',
  path: '/api/folders',
  summary: "List the caller's folders for threads.",
  responses: {
    200: {
      description: 'By name. At most 100.',
      json: z.strictObject({ folders: z.array(folder) }).meta({ id: 'FolderList' }),
    },
  },
  async handle({ principal }, { folders }: Services) {
    return { folders: (await folders.list(principal)).map(renderFolder) };
  },
});

const createFolder = defineRoute({
  method: 'post',
  path: '/api/folders',
  summary: 'Create a folder. Threads are moved into it with `PATCH /api/threads/{id}`.',
  body: folderName,
  freeFields: ['name'],
  responses: { 201: { description: 'The folder.', json: folder } },
  errors: [400, 409, 413],
  async handle({ principal, body: { name } }, { folders }: Services) {
    return renderFolder(await folders.create(principal, toOneLine(name)));
  },
});

const renameFolder = defineRoute({
  method: 'patch',
  path: '/api/folders/{id}',
  summary: 'Rename a folder.',
  params,
  body: folderName,
  freeFields: ['name'],
  responses: { 200: { description: 'The folder.', json: folder } },
  errors: [400, 404, 409, 413],
  async handle({ principal, params: { id }, body: { name } }, { folders }: Services) {
    return renderFolder(await folders.rename(principal, id, toOneLine(name)));
  },
});

const deleteFolder = defineRoute({
  method: 'delete',
  path: '/api/folders/{id}',
  summary: 'Delete a folder. Its threads stay, in no folder.',
  params,
  responses: { 204: { description: 'The folder is deleted.' } },
  errors: [404],
  async handle({ principal, params: { id } }, { folders }: Services) {
    await folders.remove(principal, id);
  },
});

export const folderRoutes = [listFolders, createFolder, renameFolder, deleteFolder];

const renderFolder = (found: Folder): z.infer<typeof folder> => renderAs(folder, found);
