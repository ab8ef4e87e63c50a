import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import { NotFound } from '#domain/errors.ts';
import type { Note } from '#domain/note.ts';
import { parseBody } from '#http/routes/parse-body.ts';
import type { Memory } from '#memory/memory.ts';
import { memoryQuery, type memoryResults, noteText, type wireNote } from './wire-memory.ts';

/** `/api/memory`: a user's own notes, searched or the newest first, and one at its path (`people%2Fann` or `people/ann`). */
export function memoryRoutes(memory: Memory) {
  return async (app: FastifyInstance): Promise<void> => {
    app.get('/memory', async (request): Promise<z.infer<typeof memoryResults>> => {
      const { q = '', limit } = parseBody(memoryQuery, request.query);
      const { principal } = request;
      const found = q.trim() ? await memory.search(principal, q, limit) : await memory.newest(principal, limit);
      return { results: found.map(({ updatedAt, ...note }) => ({ ...note, updated_at: updatedAt.toISOString() })) };
    });

    app.get<AtPath>('/memory/*', async (request): Promise<z.infer<typeof wireNote>> => {
      const note = await memory.find(request.principal, request.params['*']);
      if (!note) throw new NotFound('There is no such note.');
      return renderNote(note);
    });

    app.put<AtPath>('/memory/*', async (request): Promise<z.infer<typeof wireNote>> => {
      const { text } = parseBody(noteText, request.body);
      return renderNote(await memory.write(request.principal, request.params['*'], text));
    });

    app.delete<AtPath>('/memory/*', async (request, reply) => {
      const wasThere = await memory.delete(request.principal, request.params['*']);
      if (!wasThere) throw new NotFound('There is no such note.');
      return reply.code(204).send();
    });
  };
}

type AtPath = { Params: { '*': string } };

function renderNote({ path, text, createdAt, updatedAt }: Note): z.infer<typeof wireNote> {
  return { path, text, created_at: createdAt.toISOString(), updated_at: updatedAt.toISOString() };
}
