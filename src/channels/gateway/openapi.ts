import { errorAnswers, type RouteDescription } from '#http/routes/openapi.ts';
import { auditList, auditQuery } from './audit/wire-audit.ts';
import { chatAccepted, chatReply, chatRequest } from './chat/wire-chat.ts';
import { approvalList } from './gates/wire-approvals.ts';
import { gateAnswer, gateList, gatesQuery } from './gates/wire-gates.ts';
import { pairingList } from './gates/wire-pairings.ts';
import { serviceStatus } from './health/wire-status.ts';
import { jobList, jobsQuery } from './jobs/wire-jobs.ts';
import { memoryQuery, memoryResults, noteText, wireNote } from './memory/wire-memory.ts';
import { operatorDescription } from './openapi-operator.ts';
import { threadsDescription } from './openapi-threads.ts';
import { sessionList, signInLink } from './sign-in/wire-sign-in.ts';
import { usageQuery, usageReport } from './usage/wire-usage.ts';
import {
  createdToken,
  newToken,
  newUser,
  tokenList,
  userList,
  usersQuery,
  wireLimits,
  wireUser,
} from './users/wire-users.ts';

/** The gateway's own endpoints for the public document. */
export const gatewayDescription: readonly RouteDescription[] = [
  ...threadsDescription,
  ...operatorDescription,
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
    path: '/api/gates',
    method: 'get',
    summary: 'What waits for an answer, the newest first.',
    query: gatesQuery,
    responses: {
      200: { description: "A user's own open gates, or everybody's for the operator.", json: gateList },
      ...errorAnswers(400),
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
    path: '/api/approvals',
    method: 'get',
    summary: 'What was approved for good.',
    responses: { 200: { description: "A user's own, or everybody's for the operator.", json: approvalList } },
  },
  {
    path: '/api/approvals/{id}',
    method: 'delete',
    summary: 'Ask about such calls again.',
    responses: { 204: { description: 'It no longer holds.' }, ...errorAnswers(404) },
  },
  {
    path: '/api/pairings',
    method: 'get',
    summary: 'Which webhook users may use whose secrets.',
    responses: { 200: { description: "Those that use one's own, or all for the operator.", json: pairingList } },
  },
  {
    path: '/api/pairings/{user_id}',
    method: 'delete',
    summary: "Let a webhook user no longer use anybody's secrets.",
    responses: { 204: { description: 'They are no longer paired.' }, ...errorAnswers(404) },
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
  {
    path: '/api/users',
    method: 'post',
    summary: 'Add a user (operator).',
    request: newUser,
    responses: {
      201: { description: 'The user. To let them in, give them a token.', json: wireUser },
      ...errorAnswers(400, 409, 413),
    },
  },
  {
    path: '/api/users',
    method: 'get',
    summary: 'List the users (operator).',
    query: usersQuery,
    responses: {
      200: { description: 'A page of users, the oldest first.', json: userList },
      ...errorAnswers(400),
    },
  },
  {
    path: '/api/users/{id}',
    method: 'delete',
    summary: 'Remove a user; their tokens and sessions end (operator).',
    responses: { 204: { description: 'The user is gone.' }, ...errorAnswers(404) },
  },
  {
    path: '/api/users/{id}/limits',
    method: 'put',
    summary: 'Say what a user may spend in a day, in place of what everybody may (operator).',
    request: wireLimits,
    responses: { 200: { description: 'The limits of their own.', json: wireLimits }, ...errorAnswers(400, 404, 413) },
  },
  {
    path: '/api/users/{id}/tokens',
    method: 'post',
    summary: "Make a token for a user, or with the id `me` one's own.",
    request: newToken,
    responses: {
      201: { description: 'The token, which is shown this once.', json: createdToken },
      ...errorAnswers(400, 404, 413),
    },
  },
  {
    path: '/api/users/{id}/tokens',
    method: 'get',
    summary: "List a user's tokens, or with the id `me` one's own.",
    responses: { 200: { description: 'Every token that was not revoked.', json: tokenList }, ...errorAnswers(404) },
  },
  {
    path: '/api/tokens/{id}',
    method: 'delete',
    summary: 'Revoke a token. It is refused everywhere within 5 seconds.',
    responses: { 204: { description: 'The token is revoked.' }, ...errorAnswers(404) },
  },
  {
    path: '/api/users/{id}/sessions',
    method: 'get',
    summary: "List the browsers in which a user is signed in, or with the id `me` one's own.",
    responses: { 200: { description: 'The newest first.', json: sessionList }, ...errorAnswers(404) },
  },
  {
    path: '/api/sessions/{id}',
    method: 'delete',
    summary: 'Sign a browser out. It is refused everywhere within 5 seconds.',
    responses: { 204: { description: 'The session is revoked.' }, ...errorAnswers(404) },
  },
  {
    path: '/api/sign-in-links',
    method: 'post',
    summary: 'Make a link that signs a browser in, once, as the owner of the bearer token.',
    responses: { 201: { description: 'The link.', json: signInLink }, ...errorAnswers(400) },
  },
  {
    path: '/api/audit',
    method: 'get',
    summary: 'What was done to the installation, the newest first (operator).',
    query: auditQuery,
    responses: { 200: { description: 'A page of the log.', json: auditList }, ...errorAnswers(400) },
  },
  {
    path: '/api/usage',
    method: 'get',
    summary: 'What model calls have used, by day and model, the newest day first.',
    query: usageQuery,
    responses: {
      200: { description: "A user's own usage, or for the operator everybody's, user by user.", json: usageReport },
      ...errorAnswers(400),
    },
  },
];
