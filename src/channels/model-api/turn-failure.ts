import type { TurnReply } from '#agent/watch/turn-reply.ts';
import type { ThreadUrl } from '#domain/thread/thread.ts';
import { type Failure, type FailureCode, refusalAt } from '#domain/thread/turn.ts';
import { formatResponseId } from '#http/response-id.ts';

export const FAILURE_CODES = [
  'model_error',
  'model_not_configured',
  'tool_error',
  'turn_timeout',
  'approval_required',
  'authentication_required',
  'pairing_required',
  'input_required',
  'tool_output_missing',
  'previous_response_not_found',
  'invalid_output',
  'max_rounds',
  'budget_exceeded',
  'attachment_unavailable',
  'interrupted',
  'internal_error',
] as const satisfies FailureCode[];

/**
 * Model APIs have no gates that a person answers: such a turn is shown as failed, with a message that says where to go, or once
 * the gate was answered, which response continued.
 */
export function failureOf({ turn, gate, continuedBy }: TurnReply, threadUrl?: ThreadUrl): Failure | null {
  if (!gate || gate.kind === 'external-tool') return turn.failure;
  const refusal = refusalAt(gate, threadUrl?.(turn.threadId));
  if (!continuedBy) return refusal;
  const next = formatResponseId({ turnId: continuedBy, threadId: turn.threadId });
  return {
    ...refusal,
    message: `The thread waited for a person, who has answered. It continued with response ${next}.`,
  };
}

export const failureType = (code: FailureCode) =>
  CALLERS_FAULT.has(code) ? ('invalid_request_error' as const) : ('server_error' as const);

/** Failures that the caller can avoid with another request. */
const CALLERS_FAULT: ReadonlySet<FailureCode> = new Set([
  'approval_required',
  'authentication_required',
  'pairing_required',
  'input_required',
  'tool_output_missing',
  'previous_response_not_found',
]);
