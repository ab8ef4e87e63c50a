import { z } from 'zod';

const MAX_NAME_BYTES = 256;

/** A name that is kept as it is: no longer than an index can take, and nothing that a column can't hold. */
const name = (field: string) =>
  z
    .string(`${field} must be a string.`)
    .refine((value) => value !== '' && Buffer.byteLength(value) <= MAX_NAME_BYTES, {
      error: `${field} must be 1 to ${MAX_NAME_BYTES} bytes long.`,
    })
    .refine((value) => value.isWellFormed() && !/\p{Cc}/u.test(value), {
      error: `${field} must not contain control characters.`,
    });

/** The body of `POST /webhook`. */
export const webhookMessage = z
  .object({
    user_id: name('user_id'),
    message: z
      .string('message is required and must be a string.')
      .refine((said) => said.trim() !== '', { error: 'message must not be blank.' }),
    conversation_id: name('conversation_id').nullish(),
    metadata: z.record(z.string(), z.unknown(), 'metadata must be an object.').nullish(),
    callback_url: z.string('callback_url must be a string.').nullish(),
  })
  .meta({ id: 'WebhookMessage' });

const jobStatus = z.enum(['queued', 'running', 'completed']);

export const jobAccepted = z
  .strictObject({ job_id: z.uuid(), status: jobStatus, response: z.string().optional() })
  .meta({ id: 'JobAccepted' });

/** Times are ISO 8601 in UTC. What does not apply is left out. */
export const jobRecord = z
  .strictObject({
    id: z.uuid(),
    status: jobStatus,
    response: z.string().optional(),
    error: z.strictObject({ code: z.string(), message: z.string() }).optional(),
    waiting_on: z.enum(['external-tool', 'approval', 'auth', 'pairing']).optional(),
    conversation_id: z.string().optional(),
    metadata: z.record(z.string(), z.unknown()).optional(),
    created_at: z.iso.datetime(),
    completed_at: z.iso.datetime().optional(),
    callback: z
      .strictObject({
        url: z.string(),
        status: z.enum(['pending', 'delivered', 'dead']),
        attempts: z.int(),
        last_error: z.string().optional(),
        next_attempt_at: z.iso.datetime().optional(),
      })
      .optional(),
  })
  .meta({ id: 'Job' });
