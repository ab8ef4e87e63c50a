import { z } from 'zod';
import type { StartedTurn } from '#agent/input/start-turn.ts';
import type { Turn } from '#domain/thread/turn.ts';
import { placement } from '#http/placement.ts';
import { formatResponseId } from '#http/response-id.ts';
import { failureDetails } from './failure-shape.ts';

export const turnStatus = z.enum(['queued', 'running', 'waiting', 'completed', 'incomplete', 'failed', 'cancelled']);

export const failure = z
  .strictObject({
    code: z.string(),
    message: z.string().describe('In English.'),
    details: failureDetails.optional(),
  })
  .meta({ id: 'TurnFailure' });

/** The ids of a turn in API answers. */
export const turnIds = (turn: Turn) => ({
  thread_id: turn.threadId,
  response_id: formatResponseId({ turnId: turn.id, threadId: turn.threadId }),
});

export const placed = placement.nullable().describe('Where the message is now; null when its turn has ended.');

export const acceptedTurn = z
  .strictObject({
    thread_id: z.uuid(),
    response_id: z.string(),
    turn_id: z.uuid(),
    status: z.literal('queued'),
    placed,
  })
  .meta({ id: 'ChatAccepted' });

/** The answer to a caller that does not wait for the turn. */
export const renderAccepted = ({
  turn,
  placed: at,
}: Pick<StartedTurn, 'turn' | 'placed'>): z.infer<typeof acceptedTurn> => ({
  ...turnIds(turn),
  turn_id: turn.id,
  status: 'queued',
  placed: at,
});
