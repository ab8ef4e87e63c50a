import { errorAnswers, type RouteDescription } from '#http/openapi.ts';
import { operatorDescription } from './openapi-operator.ts';
import { threadsDescription } from './openapi-threads.ts';
import { auditList, auditQuery } from './wire-audit.ts';
import { chatAccepted, chatReply, chatRequest } from './wire-chat.ts';
import { gateAnswer } from './wire-gates.ts';
import { jobList, jobsQuery } from './wire-jobs.ts';
import { serviceStatus } from './wire-status.ts';
import { createdToken, newToken, newUser, tokenList, userList, usersQuery, wireUser } from './wire-users.ts';

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
    path: '/api/audit',
    method: 'get',
    summary: 'What was done to the installation, the newest first (operator).',
    query: auditQuery,
    responses: { 200: { description: 'A page of the log.', json: auditList }, ...errorAnswers(400) },
  },
];
