import { z } from 'zod';
import { errorAnswers, type RouteDescription } from '#http/routes/openapi.ts';
import { clientMessage, serverMessage } from './socket/wire-socket.ts';
import { itemList, itemsQuery } from './threads/wire-items.ts';
import {
  exportQuery,
  forkRequest,
  threadChange,
  threadExport,
  threadList,
  threadsQuery,
  wireThread,
} from './threads/wire-threads.ts';
import { turnInspection } from './threads/wire-turn.ts';

/** The routes about threads. */
export const threadsDescription: readonly RouteDescription[] = [
  {
    path: '/api/threads',
    method: 'get',
    summary: "The caller's threads: the pinned first, then the newest.",
    query: threadsQuery,
    responses: { 200: { description: 'A page of threads.', json: threadList }, ...errorAnswers(400) },
  },
  {
    path: '/api/threads/{id}',
    method: 'get',
    summary: 'One thread.',
    responses: { 200: { description: 'The thread.', json: wireThread }, ...errorAnswers(404) },
  },
  {
    path: '/api/threads/{id}/items',
    method: 'get',
    summary: 'What was said and done in a thread, the newest page first.',
    query: itemsQuery,
    responses: {
      200: { description: 'A page of items, the oldest of them first.', json: itemList },
      ...errorAnswers(400, 404),
    },
  },
  {
    path: '/api/threads/{id}/items/{item}/parts/{index}',
    method: 'get',
    summary: 'The bytes of an image or a file in an item.',
    responses: { 200: { description: 'The bytes, as their own media type or as octets.' }, ...errorAnswers(404) },
  },
  {
    path: '/api/threads/{id}',
    method: 'patch',
    summary: 'Rename, pin or archive a thread.',
    request: threadChange,
    responses: { 200: { description: 'The thread as it is now.', json: wireThread }, ...errorAnswers(400, 404, 413) },
  },
  {
    path: '/api/threads/{id}',
    method: 'delete',
    summary: 'Delete a thread with everything in it. What runs in it is stopped.',
    responses: { 204: { description: 'It is gone.' }, ...errorAnswers(404) },
  },
  {
    path: '/api/threads/{id}/fork',
    method: 'post',
    summary: 'Begin a new thread with the items before one of this thread.',
    request: forkRequest,
    responses: { 201: { description: 'The new thread.', json: wireThread }, ...errorAnswers(400, 404, 413) },
  },
  {
    path: '/api/threads/{id}/export',
    method: 'get',
    summary: 'A whole thread, as Markdown or JSON.',
    query: exportQuery,
    responses: {
      200: { description: 'A file. As JSON it has this shape.', json: threadExport },
      ...errorAnswers(400, 404),
    },
  },
  {
    path: '/api/turns/{id}',
    method: 'get',
    summary: 'Everything that is known of how a turn went.',
    responses: { 200: { description: 'The turn.', json: turnInspection }, ...errorAnswers(404) },
  },
  {
    path: '/api/ws',
    method: 'get',
    summary: 'A WebSocket: threads as they happen. Its messages are JSON texts.',
    responses: {
      101: {
        description: 'The protocol changes. The client says `client`, the server `server`.',
        json: z.strictObject({ client: clientMessage, server: serverMessage }),
      },
      ...errorAnswers(404),
    },
  },
];
