import { z } from 'zod';
import type { ProjectNotes } from '#agent/projects/project-notes.ts';
import type { People } from '#auth/people.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { namesIn, projectNote, projectParams, renderNote } from './project-shape.ts';

type Services = { readonly projectNotes: ProjectNotes; readonly people: People };

const path = '/api/projects/{id}/notes/{path*}';
const params = projectParams.extend({ path: z.string().describe('The path of the note, such as style/letters.') });

const listNotes = defineRoute({
  method: 'get',
  path: '/api/projects/{id}/notes',
  summary: 'List the notes of a project.',
  params: projectParams,
  responses: {
    200: {
      description: 'By path. At most 500.',
      json: z.strictObject({ notes: z.array(projectNote) }).meta({ id: 'ProjectNoteList' }),
    },
  },
  errors: [404],
  async handle({ principal, params: { id } }, { projectNotes, people }: Services) {
    const notes = await projectNotes.list(principal, id);
    const authors = notes.map(({ writtenBy }) => writtenBy);
    const names = await namesIn(people, authors);
    return { notes: notes.map((note) => renderNote(note, names, principal)) };
  },
});

const getNote = defineRoute({
  method: 'get',
  path,
  summary: 'Get a note of a project.',
  params,
  responses: { 200: { description: 'The note.', json: projectNote } },
  errors: [400, 404],
  async handle({ principal, params: at }, { projectNotes, people }: Services) {
    const note = await projectNotes.find(principal, at.id, at.path);
    return renderNote(note, await namesIn(people, [note.writtenBy]), principal);
  },
});

const putNote = defineRoute({
  method: 'put',
  path,
  summary: "Write a note of a project. It is the caller's from then on. Members need the role `write`.",
  params,
  body: z.object({ text: z.string('text is required and must be a string.') }).meta({ id: 'ProjectNoteText' }),
  responses: { 200: { description: 'The stored note.', json: projectNote } },
  errors: [400, 404, 413],
  async handle({ principal, params: at, body }, { projectNotes, people }: Services) {
    const note = await projectNotes.write(principal, at.id, at.path, body.text);
    return renderNote(note, await namesIn(people, [note.writtenBy]), principal);
  },
});

const deleteNote = defineRoute({
  method: 'delete',
  path,
  summary: 'Delete a note of a project. Members need the role `write`.',
  params,
  responses: { 204: { description: 'The note is deleted.' } },
  errors: [400, 404],
  async handle({ principal, params: at }, { projectNotes }: Services) {
    await projectNotes.remove(principal, at.id, at.path);
  },
});

export const projectNoteRoutes = [listNotes, getNote, putNote, deleteNote];
