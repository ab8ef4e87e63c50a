import type { ThreadUrl } from '#domain/thread/thread.ts';
import { type Failure, type FailureCode, refusalAt, type Turn } from '#domain/thread/turn.ts';
import type { NewGate } from '#domain/tool/gate.ts';

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

/** Model APIs have no gates that a person answers: such a turn is shown as failed, with a message that says where to go. */
export function failureOf(turn: Turn, gate: NewGate | null, threadUrl?: ThreadUrl): Failure | null {
  return gate && gate.kind !== 'external-tool' ? refusalAt(gate, threadUrl?.(turn.threadId)) : turn.failure;
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
