import { z } from 'zod';
import { errorAnswers, type RouteDescription } from '#http/routes/openapi.ts';
import { jobAccepted, jobRecord, webhookMessage } from './wire-webhook.ts';

const secret = z.object({ 'X-Webhook-Secret': z.string() });

/** The webhook channel for the public document. It has a host and port of its own. */
export const webhookDescription: readonly RouteDescription[] = [
  {
    path: '/webhook',
    method: 'post',
    summary: 'Send a message to the webhook channel; it becomes a job.',
    isPublic: true,
    headers: secret.extend({ 'Idempotency-Key': z.string().optional() }),
    request: webhookMessage,
    responses: {
      200: { description: 'The message was accepted, and will be answered.', json: jobAccepted },
      ...errorAnswers(400, 401, 409, 413, 429),
    },
  },
  {
    path: '/jobs/{job_id}',
    method: 'get',
    summary: 'How far a job of the webhook channel is.',
    isPublic: true,
    headers: secret,
    responses: { 200: { description: 'The job.', json: jobRecord }, ...errorAnswers(401, 404, 429) },
  },
];
