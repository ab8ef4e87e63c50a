import { z } from 'zod';
import { gatedCall, gateKind } from './wire-gates.ts';

/** The bodies of the chat endpoints. */
export const chatRequest = z
  .object({
    message: z
      .string('message is required and must be a string.')
      .refine((said) => said.trim() !== '', { error: 'message must not be blank.' }),
    thread_id: z.uuid('thread_id must be the id of a thread.').nullish(),
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
