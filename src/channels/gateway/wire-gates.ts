import { z } from 'zod';

/** `approve` goes on with the call that waits; `deny` lets the model know that it may not. */
export const gateAnswer = z
  .object({
    answer: z.enum(['approve', 'deny'], 'answer must be approve or deny.'),
    reason: z.string('reason must be a string.').max(2000, 'reason may have 2,000 characters.').nullish(),
  })
  .meta({ id: 'GateAnswer' });
