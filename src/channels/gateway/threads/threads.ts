import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Threads } from '#agent/threads.ts';
import { InvalidRequest, NotFound } from '#domain/errors.ts';
import { parseBody } from '#http/routes/parse-body.ts';
import { renderItem } from './render-item.ts';
import { renderThread } from './render-thread.ts';
import { type itemList, itemsQuery } from './wire-items.ts';
import { forkRequest, threadChange, type threadList, threadsQuery, type wireThread } from './wire-threads.ts';

type ById = { Params: { id: string } };

/** `/api/threads`: the caller's own, and what was said in them. */
export function threadRoutes(threads: Threads) {
  return async (app: FastifyInstance): Promise<void> => {
    app.get('/threads', async (request): Promise<z.infer<typeof threadList>> => {
      const { q, archived, limit, cursor } = parseBody(threadsQuery, request.query);
      const after = cursor === undefined ? undefined : parseCursor(cursor);
      const filter = { search: q?.trim() || undefined, archived: archived === 'true', after, limit: limit + 1 };
      const found = await threads.list(request.principal, filter);
      const page = found.slice(0, limit);
      const last = found.length > limit ? page.at(-1) : undefined;
      return { threads: page.map(renderThread), next_cursor: last ? renderCursor(last.cursor) : null };
    });

    app.get<ById>(
      '/threads/:id',
      async (request): Promise<z.infer<typeof wireThread>> =>
        renderThread(await threads.get(request.principal, threadIdOf(request.params))),
    );

    app.get<ById>('/threads/:id/items', async (request): Promise<z.infer<typeof itemList>> => {
      const { before, limit } = parseBody(itemsQuery, request.query);
      const found = await threads.items(request.principal, threadIdOf(request.params), { before, limit: limit + 1 });
      const page = found.slice(-limit);
      return { items: page.map(renderItem), next_before: found.length > limit ? (page[0]?.id ?? null) : null };
    });

    app.patch<ById>('/threads/:id', async (request): Promise<z.infer<typeof wireThread>> => {
      const { title, pinned, archived } = parseBody(threadChange, request.body, ['title']);
      const change = {
        ...(title !== undefined && { title: cleanTitle(title) }),
        ...(pinned !== undefined && { pinned }),
        ...(archived !== undefined && { archived }),
      };
      return renderThread(await threads.change(request.principal, threadIdOf(request.params), change));
    });

    app.delete<ById>('/threads/:id', async (request, reply) => {
      await threads.remove(request.principal, threadIdOf(request.params));
      return reply.code(204).send();
    });

    app.post<ById>('/threads/:id/fork', async (request, reply) => {
      const { before_item_id: before } = parseBody(forkRequest, request.body ?? {});
      const fork = await threads.fork(request.principal, threadIdOf(request.params), before ?? undefined);
      return reply.code(201).send(renderThread(fork));
    });
  };
}

export function threadIdOf({ id }: { id: string }): string {
  const { success, data } = z.uuid().safeParse(id);
  if (!success) throw new NotFound('There is no such thread.');
  return data;
}

/** A column of texts can't hold what is no text. */
const cleanTitle = (title: string | null) =>
  title
    ?.toWellFormed()
    .replace(/\p{Control}+/gu, ' ')
    .trim() || null;

type Cursor = { readonly pinned: boolean; readonly microseconds: string; readonly id: string };

const renderCursor = ({ pinned, microseconds, id }: Cursor) => `${pinned ? 1 : 0}_${microseconds}_${id}`;

function parseCursor(cursor: string): Cursor {
  const [, pinned, microseconds, id] = /^([01])_(\d{1,18})_([\da-f-]{36})$/.exec(cursor) ?? [];
  if (!microseconds || !z.uuid().safeParse(id).success)
    throw new InvalidRequest('invalid_request', 'cursor', 'cursor must be the next_cursor of an earlier page.');
  return { pinned: pinned === '1', microseconds, id: id ?? '' };
}
