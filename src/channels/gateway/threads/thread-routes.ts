import { z } from 'zod';
import type { Threads } from '#agent/threads/threads.ts';
import { InvalidRequest } from '#domain/errors.ts';
import { type ItemId, isUuid, type ProjectId, type ThreadId } from '#domain/ids.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { uuid } from '#http/routes/uuid.ts';
import { pageLimit } from '../page.ts';
import { toOneLine } from './one-line.ts';
import { CHANNELS, renderThread, thread, threadParams } from './thread-shape.ts';

type Services = { readonly threads: Threads };

export const listThreads = defineRoute({
  method: 'get',
  path: '/api/threads',
  summary: "List the caller's threads: pinned first, then newest.",
  query: z.object({
    q: z
      .string()
      .max(200, 'q may have 200 characters.')
      .optional()
      .describe('Words that the title or a message contains. In a message, the beginning of a word is enough.'),
    archived: z.enum(['true', 'false']).optional().describe('true: only archived threads. Otherwise: only the others.'),
    channel: z.enum(['chat', 'api', 'webhook', 'mission']).optional().describe('Only threads that began there.'),
    project: z
      .union([z.literal('none'), uuid<ProjectId>()], 'project must be the id of a project, or none.')
      .optional()
      .describe('Only threads of the project with this id; none: only those in no project.'),
    limit: pageLimit(50),
    cursor: z.string().max(200).optional().describe('`next_cursor` of the previous page.'),
  }),
  responses: {
    200: {
      description: 'A page of threads.',
      json: z.strictObject({ threads: z.array(thread), next_cursor: z.string().nullable() }).meta({ id: 'ThreadList' }),
    },
  },
  errors: [400],
  async handle({ principal, query: { q, archived, channel, project, limit, cursor } }, { threads }: Services) {
    const after = cursor === undefined ? undefined : parseCursor(cursor);
    const filter = {
      search: q?.trim() || undefined,
      archived: archived === 'true',
      channels: channel && CHANNELS[channel],
      project,
      after,
      limit: limit + 1,
    };
    const found = await threads.list(principal, filter);
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    return { threads: page.map(renderThread), next_cursor: last ? renderCursor(last.cursor) : null };
  },
});

const getThread = defineRoute({
  method: 'get',
  path: '/api/threads/{id}',
  summary: 'Get a thread.',
  params: threadParams,
  responses: { 200: { description: 'The thread.', json: thread } },
  errors: [404],
  async handle({ principal, params }, { threads }: Services) {
    return renderThread(await threads.get(principal, params.id));
  },
});

const changeThread = defineRoute({
  method: 'patch',
  path: '/api/threads/{id}',
  summary: 'Rename, pin or archive a thread, say that it is read, move it into a project, or let its code reach hosts.',
  params: threadParams,
  body: z
    .object({
      title: z
        .string()
        .trim()
        .max(300)
        .nullable()
        .optional()
        .describe('null or an empty text restores the default title.'),
      pinned: z.boolean().optional(),
      archived: z.boolean().optional(),
      network: z
        .boolean()
        .optional()
        .describe(
          'Whether its code may reach the hosts that the operator lists; each call asks as others that send data.',
        ),
      read: z.literal(true, 'read must be true.').optional().describe('Its owner has it before them.'),
      project_id: uuid<ProjectId>('project_id must be the id of a project.')
        .nullable()
        .optional()
        .describe('null takes the thread out of its project.'),
    })
    .refine((change) => Object.keys(change).length > 0, {
      error: 'Send title, pinned, archived, network, read or project_id.',
    })
    .meta({ id: 'ThreadChange' }),
  freeFields: ['title'],
  responses: { 200: { description: 'The changed thread.', json: thread } },
  errors: [400, 404, 413],
  async handle(
    { principal, params, body: { title, pinned, archived, network, read, project_id: projectId } },
    { threads }: Services,
  ) {
    const change = {
      ...(title !== undefined && { title: title === null ? null : toOneLine(title) || null }),
      ...(pinned !== undefined && { pinned }),
      ...(archived !== undefined && { archived }),
      ...(network !== undefined && { network }),
      ...(read && { read }),
      ...(projectId !== undefined && { projectId }),
    };
    return renderThread(await threads.change(principal, params.id, change));
  },
});

const compactThread = defineRoute({
  method: 'post',
  path: '/api/threads/{id}/compact',
  summary: 'Let the next turn of a thread begin with a summary of what was said before.',
  params: threadParams,
  responses: { 200: { description: 'The thread. Asked again, nothing changes.', json: thread } },
  errors: [404, 409],
  async handle({ principal, params }, { threads }: Services) {
    return renderThread(await threads.askToCompact(principal, params.id, true));
  },
});

const keepThreadWhole = defineRoute({
  method: 'delete',
  path: '/api/threads/{id}/compact',
  summary: 'Take back that the next turn of a thread begins with a summary.',
  params: threadParams,
  responses: { 200: { description: 'The thread.', json: thread } },
  errors: [404],
  async handle({ principal, params }, { threads }: Services) {
    return renderThread(await threads.askToCompact(principal, params.id, false));
  },
});

const deleteThread = defineRoute({
  method: 'delete',
  path: '/api/threads/{id}',
  summary: 'Delete a thread and everything in it. A running turn is stopped.',
  params: threadParams,
  responses: { 204: { description: 'The thread is deleted.' } },
  errors: [404],
  async handle({ principal, params }, { threads }: Services) {
    await threads.remove(principal, params.id);
  },
});

const forkThread = defineRoute({
  method: 'post',
  path: '/api/threads/{id}/fork',
  summary: 'Start a new thread with the items before a given one.',
  params: threadParams,
  body: z
    .object({
      before_item_id: uuid<ItemId>('before_item_id must be the id of an item of this thread.')
        .nullish()
        .describe('The new thread gets every item before this one, or all items if this is left out.'),
    })
    .default({})
    .meta({ id: 'ForkRequest' }),
  responses: { 201: { description: 'The new thread.', json: thread } },
  errors: [400, 404, 413],
  async handle({ principal, params, body }, { threads }: Services) {
    return renderThread(await threads.fork(principal, params.id, body.before_item_id ?? undefined));
  },
});

export const threadRoutes = [
  listThreads,
  getThread,
  changeThread,
  compactThread,
  keepThreadWhole,
  deleteThread,
  forkThread,
];

type Cursor = { readonly pinned: boolean; readonly microseconds: string; readonly id: ThreadId };

const renderCursor = ({ pinned, microseconds, id }: Cursor) => `${pinned ? 1 : 0}_${microseconds}_${id}`;

function parseCursor(cursor: string): Cursor {
  const [, pinned, microseconds, id = ''] = /^([01])_(\d{1,18})_([\da-f-]{36})$/.exec(cursor) ?? [];
  if (!microseconds || !isUuid<ThreadId>(id))
    throw new InvalidRequest('invalid_request', 'cursor', 'cursor must be the next_cursor of an earlier page.');
  return { pinned: pinned === '1', microseconds, id };
}
