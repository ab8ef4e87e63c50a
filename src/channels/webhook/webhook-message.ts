import { z } from 'zod';

const MAX_NAME_BYTES = 256;

/** Short enough for an index, and without characters that a column can't hold. */
const name = (field: string) =>
  z
    .string(`${field} must be a string.`)
    .refine((value) => value !== '' && Buffer.byteLength(value) <= MAX_NAME_BYTES, {
      error: `${field} must be 1 to ${MAX_NAME_BYTES} bytes long.`,
    })
    .refine((value) => value.isWellFormed() && !/\p{Cc}/u.test(value), {
      error: `${field} must not contain control characters.`,
    });

export const webhookMessage = z
  .object({
    user_id: name('user_id'),
    message: z
      .string('message is required and must be a string.')
      .refine((said) => said.trim() !== '', { error: 'message must not be blank.' }),
    conversation_id: name('conversation_id').nullish(),
    metadata: z.record(z.string(), z.unknown(), 'metadata must be an object.').nullish(),
    callback_url: z.string().nullish(),
  })
  .meta({ id: 'WebhookMessage' });
