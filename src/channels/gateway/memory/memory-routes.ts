import { z } from 'zod';
import { NotFound } from '#domain/errors.ts';
import { BY_PERSON } from '#domain/note.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { renderAs } from '#http/routes/render-as.ts';
import type { Memory } from '#memory/memory.ts';
import { pageLimit } from '../page.ts';
import { note, origin, path as params, renderNote, renderSource, sources, writtenBy } from './note-shape.ts';

type Services = { readonly memory: Memory };

/** Of a note in a list. */
const MOST_SOURCES = 3;

const result = z.strictObject({
  path: z.string(),
  text: z.string().describe('For a long note, the part that matches.'),
  score: z.number().describe('Higher is better; 0 when nothing was searched for.'),
  origin,
  version: z.int(),
  written_by: writtenBy,
  sources: sources.max(MOST_SOURCES),
  updated_at: z.iso.datetime(),
});

const path = '/api/memory/{path*}';

const searchNotes = defineRoute({
  method: 'get',
  path: '/api/memory',
  summary: "Search the caller's notes, or list the newest ones.",
  query: z.object({
    q: z
      .string('q must be given once.')
      .max(2000, 'q may have 2,000 characters.')
      .optional()
      .describe('What to search for. Lists the newest notes when left out.'),
    limit: pageLimit(20),
  }),
  responses: {
    200: {
      description: 'The best matches first.',
      json: z
        .strictObject({
          results: z.array(result),
          of_unknown_origin: z.int().describe("How many of all the caller's notes have the origin `unknown`."),
        })
        .meta({ id: 'MemoryResults' }),
    },
  },
  errors: [400],
  async handle({ principal, query: { q = '', limit } }, { memory }: Services) {
    const found = q.trim() ? await memory.search(principal, q, limit) : await memory.newest(principal, limit);
    return {
      results: found.map((each) =>
        renderAs(result, each, { sources: each.sources.slice(-MOST_SOURCES).map(renderSource) }),
      ),
      of_unknown_origin: await memory.countUnknown(principal),
    };
  },
});

const getNote = defineRoute({
  method: 'get',
  path,
  summary: 'Get a note.',
  params,
  responses: { 200: { description: 'The note.', json: note } },
  errors: [400, 404],
  async handle({ principal, params: at }, { memory }: Services) {
    const found = await memory.find(principal, at.path);
    if (!found) throw new NotFound('This note does not exist.');
    return renderNote(found);
  },
});

const putNote = defineRoute({
  method: 'put',
  path,
  summary: "Write a note. An existing note at this path is replaced, and is the caller's own from then on.",
  params,
  body: z.object({ text: z.string('text is required and must be a string.') }).meta({ id: 'NoteText' }),
  responses: { 200: { description: 'The stored note.', json: note } },
  errors: [400, 413],
  async handle({ principal, params: at, body }, { memory }: Services) {
    return renderNote(await memory.write(principal, at.path, body.text));
  },
});

/** As many as a page lists. */
const MOST_KEPT = 100;

const keepNotes = defineRoute({
  method: 'post',
  path: '/api/memory/keep',
  summary: "Make notes the caller's own, so that reading them no longer counts as reading text by others.",
  body: z
    .strictObject({
      paths: z
        .array(z.string('paths must be a list of paths.'), 'paths must be a list of paths.')
        .min(1, 'paths must name at least one note.')
        .max(MOST_KEPT, `paths may name ${MOST_KEPT} notes.`)
        .optional()
        .describe('The notes to keep.'),
      all: z
        .literal(true, 'all may only be true.')
        .optional()
        .describe('Keeps all notes of unknown origin. Notes of the origin `foreign` are kept by their paths alone.'),
    })
    .refine(({ paths, all }) => (paths === undefined) !== (all === undefined), 'Give either paths or all.')
    .meta({ id: 'KeptNotes' }),
  responses: {
    200: {
      description: 'The notes are kept.',
      json: z
        .strictObject({ kept: z.int().describe("How many of them were not the caller's own before.") })
        .meta({ id: 'KeptNotesResult' }),
    },
  },
  errors: [400, 404, 413],
  async handle({ principal, body: { paths } }, { memory }: Services) {
    return { kept: await memory.keep(principal, paths ?? 'all of unknown origin') };
  },
});

const deleteNote = defineRoute({
  method: 'delete',
  path,
  summary: 'Delete a note. Its versions stay, so that it can be restored.',
  params,
  query: z.object({
    permanent: z
      .enum(['true', 'false'], 'permanent must be true or false.')
      .optional()
      .describe('`true`: removes all of its versions, too, also those of a note that was deleted before.'),
  }),
  responses: { 204: { description: 'The note is deleted.' } },
  errors: [400, 404],
  async handle({ principal, params: at, query: { permanent } }, { memory }: Services) {
    const existed =
      permanent === 'true'
        ? await memory.erase(principal, at.path)
        : await memory.delete(principal, at.path, BY_PERSON);
    if (!existed) throw new NotFound('This note does not exist.');
  },
});

export const memoryRoutes = [searchNotes, getNote, putNote, keepNotes, deleteNote];
