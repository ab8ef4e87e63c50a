import { z } from 'zod';
import { NotFound } from '#domain/errors.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { renderAs } from '#http/routes/render-as.ts';
import type { Memory } from '#memory/memory.ts';
import { pageLimit } from '../page.ts';
import { note, origin, path as params, renderNote, renderSource, sources, writtenBy } from './note-shape.ts';

type Services = { readonly memory: Memory };

const version = z
  .strictObject({
    version: z.int(),
    text: z.string().nullable().describe('null: the note was deleted.'),
    origin,
    written_by: writtenBy,
    thread_id: z.uuid().nullable().describe('The thread where the agent wrote it.'),
    turn_id: z.uuid().nullable(),
    sources,
    written_at: z.iso.datetime(),
  })
  .meta({ id: 'NoteVersion' });

const deletedNote = z
  .strictObject({
    path: z.string(),
    version: z.int().describe('The version that is the deletion.'),
    written_by: writtenBy,
    sources,
    deleted_at: z.iso.datetime(),
  })
  .meta({ id: 'DeletedNote' });

const versions = '/api/note-versions/{path*}';

const listVersions = defineRoute({
  method: 'get',
  path: versions,
  summary: 'List the versions of a note, also of a deleted one.',
  params,
  responses: {
    200: {
      description: 'The newest first.',
      json: z.strictObject({ versions: z.array(version) }).meta({ id: 'NoteVersions' }),
    },
  },
  errors: [400, 404],
  async handle({ principal, params: { path } }, { memory }: Services) {
    const found = await memory.history(principal, path);
    if (found.length === 0) throw new NotFound('This note does not exist.');
    return {
      versions: found.map((each) => renderAs(version, each, { sources: each.sources.map(renderSource) })),
    };
  },
});

const restoreVersion = defineRoute({
  method: 'post',
  path: versions,
  summary: 'Restore an earlier version of a note, as a new version by the caller. The text keeps its origin.',
  params,
  body: z
    .strictObject({ version: z.int('version must be a number.').min(1, 'version must be at least 1.') })
    .meta({ id: 'RestoredVersion' }),
  responses: { 200: { description: 'The note as it is now.', json: note } },
  errors: [400, 404, 413],
  async handle({ principal, params: { path }, body }, { memory }: Services) {
    return renderNote(await memory.restore(principal, path, body.version));
  },
});

const listDeleted = defineRoute({
  method: 'get',
  path: '/api/deleted-notes',
  summary: "List the caller's deleted notes, which can be restored.",
  query: z.object({ limit: pageLimit(20) }),
  responses: {
    200: {
      description: 'The last deleted first.',
      json: z.strictObject({ notes: z.array(deletedNote) }).meta({ id: 'DeletedNotes' }),
    },
  },
  errors: [400],
  async handle({ principal, query: { limit } }, { memory }: Services) {
    const found = await memory.deleted(principal, limit);
    return {
      notes: found.map((each) => renderAs(deletedNote, each, { sources: each.sources.map(renderSource) })),
    };
  },
});

export const noteVersionRoutes = [listVersions, restoreVersion, listDeleted];
