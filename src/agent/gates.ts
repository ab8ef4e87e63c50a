import { InvalidRequest } from '#domain/errors.ts';
import type { Gate, GatedCall, NewGate } from '#domain/gate.ts';
import { refusalAt } from '#domain/turn.ts';
import type { Owner } from '#store/connection.ts';
import type { ToolSet } from '#tools/registry.ts';

/** Why the thread must wait before this call; undefined when the call can be made now. */
export async function gateFor(call: GatedCall, owner: Owner, tools: ToolSet): Promise<NewGate | undefined> {
  if (call.external) return { kind: 'external-tool', call };
  if (await tools.find(call.name)?.needsSignIn?.(owner)) return { kind: 'auth', call };
  return undefined;
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
