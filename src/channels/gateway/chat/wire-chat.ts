import { z } from 'zod';
import { gatedCall, gateKind } from '../gates/wire-gates.ts';

/** An image becomes part of what the model sees; any other file as well, if the model can take it. */
export const MAX_ATTACHMENTS = 10;
export const MAX_ATTACHMENT_BYTES = 9 * 1024 * 1024;

const attachment = z.object({
  name: z.string('name must be a string.').max(255, 'name may have 255 characters.').nullish(),
  media_type: z
    .string('media_type is required, such as image/png.')
    .regex(/^[\w.+-]+\/[\w.+-]+$/, 'media_type must be such as image/png.')
    .max(127, 'media_type may have 127 characters.'),
  data: z
    .base64('data must be the bytes in base64.')
    .min(1, 'data must not be empty.')
    .max(Math.ceil(MAX_ATTACHMENT_BYTES / 3) * 4, 'An attachment may have 9 MiB.'),
});

/** They are kept as JSON, which holds any character. */
export const FREE_FIELDS = ['message', 'attachments'];

/** The bodies of the chat endpoints. */
export const chatRequest = z
  .object({
    message: z
      .string('message is required and must be a string.')
      .refine((said) => said.trim() !== '', { error: 'message must not be blank.' }),
    thread_id: z.uuid('thread_id must be the id of a thread.').nullish(),
    model: z
      .string('model must be a string.')
      .min(1, 'model must not be empty.')
      .max(256, 'model may have 256 characters.')
      .refine((name) => name.isWellFormed() && !/\p{Cc}/u.test(name), { error: 'model must be printable text.' })
      .nullish()
      .describe('The name of a model route; any other, or none, is answered by the default model.'),
    attachments: z
      .array(attachment, 'attachments must be an array.')
      .max(MAX_ATTACHMENTS, `A message may have ${MAX_ATTACHMENTS} attachments.`)
      .nullish(),
  })
  .meta({ id: 'ChatRequest' });

const place = { thread_id: z.uuid(), response_id: z.string() };

export const chatReply = z
  .strictObject({
    ...place,
    status: z.enum(['queued', 'running', 'waiting', 'completed', 'incomplete', 'failed', 'cancelled']),
    message: z.string(),
    error: z.strictObject({ code: z.string(), message: z.string() }).optional(),
    gate: z.strictObject({ id: z.uuid(), kind: gateKind, call: gatedCall }).optional(),
  })
  .meta({ id: 'ChatReply' });

export const chatAccepted = z
  .strictObject({ ...place, turn_id: z.uuid(), status: z.literal('queued') })
  .meta({ id: 'ChatAccepted' });
