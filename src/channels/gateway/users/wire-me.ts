import { z } from 'zod';

/** The body of `GET /api/me`: who asks, and what their app needs to begin with. */
export const me = z
  .strictObject({
    user_id: z.string(),
    name: z.string(),
    email: z.string().nullable(),
    role: z.enum(['operator', 'member']),
    version: z.string(),
    model: z.strictObject({
      provider: z.string(),
      name: z.string(),
      demo: z.boolean(),
      context_tokens: z.int().describe('How much it can read at once.'),
    }),
    single_sign_on: z.boolean(),
    limits: z.strictObject({
      sends_per_minute: z.int(),
      body_bytes: z.int(),
      attachments: z.int(),
      attachment_bytes: z.int(),
    }),
  })
  .meta({ id: 'Me' });
