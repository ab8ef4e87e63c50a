import { z } from 'zod';
import type { Versions } from '#agent/threads/versions.ts';
import type { ItemId, TurnId } from '#domain/ids.ts';
import type { TurnVersions } from '#domain/thread/versions.ts';
import { type Limiter, limitSends } from '#http/caller/rate-limit.ts';
import { defineRoute } from '#http/routes/define-route.ts';
import { idempotencyHeader, idempotencyOf } from '#http/routes/idempotency-key.ts';
import { renderAs } from '#http/routes/render-as.ts';
import { traceOf } from '#http/routes/trace-parent.ts';
import { uuid } from '#http/routes/uuid.ts';
import { chatRequest } from '../chat/chat-request.ts';
import { threadParams } from './thread-shape.ts';
import { acceptedTurn, renderAccepted } from './turn-shape.ts';

type Services = { readonly versions: Versions; readonly limiter: Limiter };

const position = z
  .strictObject({
    number: z.int().min(1),
    count: z.int().min(2),
    previous: z.uuid().nullable().describe('The turn that shows the version before it.'),
    next: z.uuid().nullable().describe('The turn that shows the version after it.'),
  })
  .nullable();

export const turnVersions = z
  .strictObject({
    turn_id: z.uuid(),
    message: position.describe('Where the message is among its versions; null when there is one.'),
    answer: position.describe('Where the answer is among the answers to this message; null when there is one.'),
  })
  .meta({ id: 'TurnVersions' });

export const renderVersions = (found: TurnVersions): z.infer<typeof turnVersions> => renderAs(turnVersions, found);

const startVersion = defineRoute({
  method: 'post',
  path: '/api/threads/{id}/items/{item}/versions',
  summary: 'Edit a message in place, or ask for another answer.',
  params: threadParams.extend({ item: uuid<ItemId>('This message does not exist.') }),
  headers: idempotencyHeader,
  body: z
    .object({
      text: z
        .string()
        .refine((said) => said.trim() !== '', { error: 'text must not be blank.' })
        .nullish()
        .describe(
          'The new text of a message of the user. Without it, the message that led to the item is asked again.',
        ),
      model: chatRequest.shape.model.describe('The name of a model route; the one that was asked before if left out.'),
    })
    .default({})
    .meta({ id: 'VersionRequest' }),
  freeFields: ['text'],
  responses: {
    202: {
      description: 'The version was accepted and is shown. Later messages of the earlier version are kept.',
      json: acceptedTurn,
    },
  },
  errors: [400, 404, 409, 413, 429],
  before: (request, { limiter }: Services) => limitSends(limiter)(request),
  async handle({ principal, params, body, request }, { versions }: Services) {
    const started = await versions.start(principal, params.id, params.item, {
      text: body.text ?? undefined,
      model: body.model ?? undefined,
      idempotency: idempotencyOf(request),
      ...traceOf(request),
    });
    return renderAccepted(started);
  },
});

const showVersion = defineRoute({
  method: 'post',
  path: '/api/threads/{id}/versions/{turn}/show',
  summary: 'Show another version of a message, and what followed it.',
  params: threadParams.extend({ turn: uuid<TurnId>('This version does not exist.') }),
  responses: { 204: { description: 'The version is shown.' } },
  errors: [404, 409],
  async handle({ principal, params }, { versions }: Services) {
    await versions.show(principal, { threadId: params.id, turnId: params.turn });
  },
});

export const versionRoutes = [startVersion, showVersion];
