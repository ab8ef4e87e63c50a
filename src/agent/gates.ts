import { InvalidRequest } from '#domain/errors.ts';
import type { Gate, GatedCall, NewGate } from '#domain/gate.ts';
import type { FunctionCallItem } from '#domain/item.ts';
import { refusalAt, type Turn } from '#domain/turn.ts';
import type { ToolRegistry } from '#tools/registry.ts';

/** Why the thread must wait before this call; undefined when the call can be made now. */
export function gateFor(call: FunctionCallItem, turn: Turn, tools: ToolRegistry): NewGate | undefined {
  if (tools.find(call.name)) return undefined;
  // A call of an earlier turn was already found to be the caller's, whatever tools this request brings.
  const external = call.turnSeq < turn.seq || turn.request.tools.some((tool) => tool.name === call.name);
  return external ? { kind: 'external-tool', call: toGatedCall(call) } : undefined;
}

/** The call_id that opens `gate`; a wrong answer leaves the thread waiting. */
export function checkAnswer(gate: Gate | undefined, callIds: readonly string[]): Gate {
  if (gate && gate.kind !== 'external-tool')
    throw new InvalidRequest('no_pending_call', 'input', refusalAt(gate).message);
  if (!gate) throw new InvalidRequest('no_pending_call', 'input', 'This thread is not waiting for a tool result.');
  if (callIds.length !== 1 || callIds[0] !== gate.call.callId)
    throw new InvalidRequest(
      'call_id_mismatch',
      'input.call_id',
      `The thread waits for call_id "${gate.call.callId}" alone.`,
    );
  return gate;
}

function toGatedCall({ id, type, callId, name, arguments: argumentsJson }: FunctionCallItem): GatedCall {
  return { id, type, callId, name, arguments: argumentsJson };
}
