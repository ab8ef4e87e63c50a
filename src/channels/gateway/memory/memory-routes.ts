import { z } from 'zod';
import { NotFound } from '#domain/errors.ts';
import type { Note } from '#domain/note.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import type { Memory } from '#memory/memory.ts';
import { pageLimit } from '../page.ts';

type Services = { readonly memory: Memory };

const note = z
  .strictObject({
    path: z.string(),
    text: z.string(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Note' });

const path = '/api/memory/{path*}';
const params = z.object({ path: z.string().describe('The path of the note, such as people/ann.') });

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
          results: z.array(
            z.strictObject({
              path: z.string(),
              text: z.string().describe('For a long note, the part that matches.'),
              score: z.number().describe('Higher is better; 0 when nothing was searched for.'),
              updated_at: z.iso.datetime(),
            }),
          ),
        })
        .meta({ id: 'MemoryResults' }),
    },
  },
  errors: [400],
  async handle({ principal, query: { q = '', limit } }, { memory }: Services) {
    const found = q.trim() ? await memory.search(principal, q, limit) : await memory.newest(principal, limit);
    return { results: found.map(({ updatedAt, ...rest }) => ({ ...rest, updated_at: updatedAt.toISOString() })) };
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
    if (!found) throw new NotFound('There is no such note.');
    return renderNote(found);
  },
});

const putNote = defineRoute({
  method: 'put',
  path,
  summary: 'Write a note. An existing note at this path is replaced.',
  params,
  body: z.object({ text: z.string('text is required and must be a string.') }).meta({ id: 'NoteText' }),
  responses: { 200: { description: 'The stored note.', json: note } },
  errors: [400, 413],
  async handle({ principal, params: at, body }, { memory }: Services) {
    return renderNote(await memory.write(principal, at.path, body.text));
  },
});

const deleteNote = defineRoute({
  method: 'delete',
  path,
  summary: 'Delete a note.',
  params,
  responses: { 204: { description: 'The note is deleted.' } },
  errors: [400, 404],
  async handle({ principal, params: at }, { memory }: Services) {
    const existed = await memory.delete(principal, at.path);
    if (!existed) throw new NotFound('There is no such note.');
  },
});

export const memoryRoutes = [searchNotes, getNote, putNote, deleteNote];

function renderNote({ path: at, text, createdAt, updatedAt }: Note): z.infer<typeof note> {
  return { path: at, text, created_at: createdAt.toISOString(), updated_at: updatedAt.toISOString() };
}
