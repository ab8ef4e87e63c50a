import { errorAnswers, type RouteDescription } from '#http/openapi.ts';
import { chatAccepted, chatReply, chatRequest } from './wire-chat.ts';
import { gateAnswer } from './wire-gates.ts';
import { jobList, jobsQuery } from './wire-jobs.ts';
import { memoryQuery, memoryResults, noteText, wireNote } from './wire-memory.ts';
import { serviceStatus } from './wire-status.ts';

/** The gateway's own endpoints for the public document. */
export const gatewayDescription: readonly RouteDescription[] = [
  {
    path: '/api/chat',
    method: 'post',
    summary: 'Send a message and wait for the answer.',
    request: chatRequest,
    responses: {
      200: { description: 'The answer, also when the turn failed: see its `status`.', json: chatReply },
      ...errorAnswers(400, 404, 409, 413, 429),
    },
  },
  {
    path: '/api/chat/send',
    method: 'post',
    summary: 'Send a message without waiting.',
    request: chatRequest,
    responses: {
      202: { description: 'The message was accepted, and will be answered.', json: chatAccepted },
      ...errorAnswers(400, 404, 409, 413, 429),
    },
  },
  {
    path: '/api/gates/{id}',
    method: 'post',
    summary: 'Answer what a thread waits for.',
    request: gateAnswer,
    responses: {
      202: { description: 'The thread goes on.', json: chatAccepted },
      ...errorAnswers(400, 404),
    },
  },
  {
    path: '/api/jobs',
    method: 'get',
    summary: 'The jobs of the webhook channel, the newest first.',
    query: jobsQuery,
    responses: {
      200: { description: "A user's own jobs, or everybody's for the operator.", json: jobList },
      ...errorAnswers(400),
    },
  },
  {
    path: '/api/memory',
    method: 'get',
    summary: 'Search your notes; without `q`, the newest ones.',
    query: memoryQuery,
    responses: {
      200: { description: 'The best notes first. Of a long one, the part that fits.', json: memoryResults },
      ...errorAnswers(400),
    },
  },
  {
    path: '/api/memory/{path}',
    method: 'get',
    summary: 'Read one note in full.',
    responses: { 200: { description: 'The note.', json: wireNote }, ...errorAnswers(400, 404) },
  },
  {
    path: '/api/memory/{path}',
    method: 'put',
    summary: 'Write a note, in the place of what the path had.',
    request: noteText,
    responses: { 200: { description: 'The note as it is kept.', json: wireNote }, ...errorAnswers(400, 413) },
  },
  {
    path: '/api/memory/{path}',
    method: 'delete',
    summary: 'Forget a note.',
    responses: { 204: { description: 'It is gone.' }, ...errorAnswers(400, 404) },
  },
  {
    path: '/api/status',
    method: 'get',
    summary: 'What this service is, and how busy it is.',
    responses: { 200: { description: 'The state of the service.', json: serviceStatus } },
  },
];
