import type { Agent } from '#agent/agent.ts';
import { noReplyYet, replyAfter } from '#agent/watch/turn-reply.ts';
import type { Principal } from '#domain/principal.ts';
import type { Placement, ThreadUrl } from '#domain/thread/thread.ts';
import type { Turn } from '#domain/thread/turn.ts';
import { attemptOf, firstSequence } from '#domain/thread/turn-event.ts';
import { createCatchUp } from './catch-up.ts';
import { createOutput } from './output-events.ts';
import { type ResponseObject, renderResponse } from './response-object.ts';
import type { NumberedStreamEvent, StreamEvent } from './stream-event.ts';

/**
 * A turn as the events of the reference format, from its first one on. The numbers are counted here, the same way on
 * every replica, so that `startingAfter` means the same wherever a client comes back, unless a part of the log is lost (catch-up.ts).
 */
export async function* streamResponse(
  agent: Agent,
  owner: Principal,
  turn: Turn,
  options: { readonly model: string; readonly threadUrl?: ThreadUrl; readonly startingAfter: number } & {
    readonly fresh: boolean;
    readonly placed?: Placement | null;
    readonly signal: AbortSignal;
  },
): AsyncGenerator<NumberedStreamEvent, void> {
  const { model, threadUrl, startingAfter, placed } = options;
  const number = createNumbering();
  const catchUp = createCatchUp<NumberedStreamEvent>(startingAfter);
  const render = createOutput(turn);
  let reply = noReplyYet({ ...turn, status: 'running', failure: null, endedAt: null });
  const started = renderResponse(reply, model, undefined, placed);

  for (const type of ['response.created', 'response.in_progress'] as const)
    yield* catchUp(number({ type, response: started }, 0));
  for await (const { sequence, event, loss } of agent.watch(owner, turn, options)) {
    for (const rendered of render(event)) yield* catchUp(number(rendered, attemptOf(sequence)), loss);
    reply = replyAfter(reply, event);
    if (event.type === 'turn-ended')
      yield* catchUp(number(terminalEvent(renderResponse(reply, model, threadUrl)), attemptOf(sequence)), loss);
  }
}

/** Counts from 0, and on from a new base with every attempt. */
function createNumbering() {
  let next = 0;
  return (event: StreamEvent, attempt: number): NumberedStreamEvent => {
    next = Math.max(next, firstSequence(attempt));
    return { ...event, sequence_number: next++ };
  };
}

function terminalEvent(response: ResponseObject): StreamEvent {
  const type = response.status === 'completed' || response.status === 'incomplete' ? response.status : 'failed';
  return { type: `response.${type}` as const, response };
}
