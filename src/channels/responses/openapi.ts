import { z } from 'zod';
import { errorAnswers, type RouteDescription } from '#http/routes/openapi.ts';
import { wireCreate } from './request/wire-create.ts';
import { wireEvent } from './response/wire-event.ts';
import { wireInputItems, wireModels } from './response/wire-list.ts';
import { wireResponse } from './response/wire-response.ts';

/** The Responses API for the public document. */
export const responsesDescription: readonly RouteDescription[] = [
  {
    path: '/api/v1/responses',
    method: 'post',
    summary: 'Send a message or a tool result, and get the response.',
    headers: z.object({ 'Idempotency-Key': z.string().max(256).optional() }),
    request: wireCreate,
    responses: {
      200: {
        description: 'The response, also when the turn failed: see its `status`. With `stream`, its events.',
        json: wireResponse,
        events: wireEvent,
      },
      ...errorAnswers(400, 409, 413, 429),
    },
  },
  {
    path: '/api/v1/responses/{id}',
    method: 'get',
    summary: 'Retrieve a response, or watch it again.',
    query: z.object({
      stream: z.enum(['true', 'false']).optional(),
      starting_after: z.int().min(0).optional().describe('The sequence_number of the last event that is known.'),
    }),
    responses: {
      200: { description: 'The response as it is now, or its events.', json: wireResponse, events: wireEvent },
      ...errorAnswers(400, 404),
    },
  },
  {
    path: '/api/v1/responses/{id}/cancel',
    method: 'post',
    summary: 'Stop a response. One that has ended stays as it is.',
    responses: { 200: { description: 'The response as it is now.', json: wireResponse }, ...errorAnswers(400, 404) },
  },
  {
    path: '/api/v1/responses/{id}/input_items',
    method: 'get',
    summary: 'List what came with the request of a response.',
    query: z.object({
      limit: z.int().min(1).max(100).default(20),
      order: z.enum(['asc', 'desc']).default('desc'),
      after: z.string().optional().describe('The id of the last item that is known.'),
    }),
    responses: { 200: { description: 'A page of the items.', json: wireInputItems }, ...errorAnswers(400, 404) },
  },
  {
    path: '/api/v1/models',
    method: 'get',
    summary: 'List the models that can be asked for.',
    responses: { 200: { description: 'The models.', json: wireModels } },
  },
];
