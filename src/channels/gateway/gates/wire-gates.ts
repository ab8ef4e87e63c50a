import { z } from 'zod';
import { pageLimit } from '../page.ts';

export const gateKind = z.enum(['external-tool', 'approval', 'auth', 'pairing']);

export const gatedCall = z.strictObject({ call_id: z.string(), name: z.string(), arguments: z.string() });

/**
 * `approve` goes on with the call that waits; `always` also with those like it, from now on; `deny` lets the model know
 * that it may not. `user_id` answers a pairing: the user whose secrets the webhook user may use.
 */
export const gateAnswer = z
  .object({
    answer: z.enum(['approve', 'always', 'deny'], 'answer must be approve, always or deny.'),
    reason: z.string('reason must be a string.').max(2000, 'reason may have 2,000 characters.').nullish(),
    user_id: z.string('user_id must be a string.').max(200, 'user_id may have 200 characters.').nullish(),
  })
  .meta({ id: 'GateAnswer' });

export const gatesQuery = z.object({
  limit: pageLimit(20),
  cursor: z.uuid('cursor must be the next_cursor of an earlier answer.').optional(),
});

const openGate = z.strictObject({
  id: z.uuid(),
  /** Who asked. */
  user_id: z.string(),
  thread_id: z.uuid(),
  kind: gateKind,
  call: gatedCall,
  /** What `always` would cover, for an approval: a line for each value. */
  always: z.array(z.string()).optional(),
  created_at: z.iso.datetime(),
});

export const gateList = z
  .strictObject({ gates: z.array(openGate), next_cursor: z.uuid().nullable() })
  .meta({ id: 'GateList' });
