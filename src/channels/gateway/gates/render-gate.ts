import type { z } from 'zod';
import { shapeOf } from '#domain/tool/argument-shape.ts';
import type { GatedCall, OpenGate } from '#domain/tool/gate.ts';
import type { gatedCall, gateList } from './wire-gates.ts';

/** A gate as a person needs it in order to decide. */
export function renderGate(gate: OpenGate): z.infer<typeof gateList>['gates'][number] {
  return {
    id: gate.id,
    user_id: gate.userId,
    thread_id: gate.threadId,
    kind: gate.kind,
    call: renderGatedCall(gate.call),
    ...(gate.kind === 'approval' && { always: shapeOf(gate.call.arguments).split('\n') }),
    created_at: gate.createdAt.toISOString(),
  };
}

export const renderGatedCall = (call: GatedCall): z.infer<typeof gatedCall> => ({
  call_id: call.callId,
  name: call.name,
  arguments: call.arguments,
});
