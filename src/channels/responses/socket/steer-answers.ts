import { Conflict, InvalidRequest, NotFound } from '#domain/errors.ts';
import type { Turn } from '#domain/thread/turn.ts';
import type { ReadCreate } from '../request/read-create.ts';
import type { ResponseObject } from '../response/response-object.ts';
import { formatSteerId, type SteerCode, type SteerEvent, SteerRefused } from './steer-messages.ts';

/** How a response of the socket was asked for. A response that a message has steered into being has the same settings. */
export type Asked = Pick<ReadCreate, 'model' | 'store' | 'previousResponseId'> & {
  readonly name: { readonly stream_id?: string };
};

/** A response of the socket, as far as it was sent. */
export type Followed = {
  readonly id: string;
  readonly turn: Turn;
  readonly asked: Asked;
  sequence: number;
  /** Set with its last event. */
  ended?: ResponseObject;
};

/** An accepted message, until its response begins. */
export type Steer = { readonly turn: Turn; readonly target: Followed; readonly input: unknown; isPending: boolean };

/** What the client sent. */
export type SteerMessage = Readonly<Record<string, unknown>>;

export function accepted(steer: Steer): SteerEvent {
  return { type: 'response.steer.accepted', ...placeOf(steer.target), steer: submissionOf(steer) };
}

/** Undefined when the response waits for no tool result. */
export function pending(steer: Steer): SteerEvent | undefined {
  const last = steer.target.ended?.output.at(-1);
  if (last?.type !== 'function_call') return undefined;
  return {
    type: 'response.steer.pending',
    ...placeOf(steer.target),
    reason: 'waiting_for_required_input',
    required_input: [{ type: 'function_call_output', call_id: last.call_id, name: last.name }],
    steer: submissionOf(steer),
  };
}

/** An error that is not the client's has no words for it. */
export function refused(message: SteerMessage, target: Followed | undefined, error: unknown): SteerEvent {
  const { previous_response_id: previous, input } = message;
  const code = codeOf(error);
  const words = code && error instanceof Error ? error.message : 'The message could not be stored. Try again.';
  return {
    type: 'response.steer.failed',
    ...placeOf(target),
    error: { type: 'invalid_request_error', code: code ?? 'successor_creation_failed', message: words },
    steer: { previous_response_id: typeof previous === 'string' ? previous : '', input },
  };
}

/** The response of an accepted message does not exist. */
export function lost(steer: Steer): SteerEvent {
  return {
    type: 'response.steer.failed',
    ...placeOf(steer.target),
    error: {
      type: 'invalid_request_error',
      code: 'successor_creation_failed',
      message: 'The message was withdrawn before it was read.',
    },
    steer: { ...submissionOf(steer), input: steer.input },
  };
}

export function checkTarget(target: Followed | undefined): asserts target is Followed {
  if (!target) throw new SteerRefused('response_not_found', 'This response is not one of this connection.');
  const { ended } = target;
  if (!ended) return;
  if (ended.status !== 'completed')
    throw new SteerRefused('response_not_active', 'This response has ended. Send a create.');
  if (!waitsForCall(ended))
    throw new SteerRefused('response_already_completed', 'This response is completed. Send a create.');
  if (!target.asked.store)
    throw new SteerRefused(
      'steering_not_supported',
      'A response with store: false that waits for a tool result takes only that result.',
    );
}

export const waitsForCall = ({ output }: ResponseObject): boolean => output.at(-1)?.type === 'function_call';

export function codeOf(error: unknown): SteerCode | undefined {
  if (error instanceof SteerRefused) return error.code;
  if (error instanceof InvalidRequest) return 'invalid_input';
  if (error instanceof NotFound) return 'response_not_found';
  if (error instanceof Conflict)
    return error.code === 'thread_busy' ? 'too_many_pending_steers' : 'response_not_active';
  return undefined;
}

const placeOf = (target: Followed | undefined) => ({ sequence_number: target?.sequence ?? 0, ...target?.asked.name });

const submissionOf = ({ turn, target }: Steer) => ({ id: formatSteerId(turn.id), previous_response_id: target.id });
