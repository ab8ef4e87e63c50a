import type { z } from 'zod';
import type { Turn } from '#domain/thread/turn.ts';
import { formatResponseId } from '#http/response-id.ts';
import type { chatAccepted } from './wire-chat.ts';

export const placeOf = (turn: Turn) => ({
  thread_id: turn.threadId,
  response_id: formatResponseId({ turnId: turn.id, threadId: turn.threadId }),
});

/** What a caller gets that doesn't wait for the turn. */
export const acceptedTurn = (turn: Turn): z.infer<typeof chatAccepted> => ({
  ...placeOf(turn),
  turn_id: turn.id,
  status: 'queued',
});
