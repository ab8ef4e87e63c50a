import { z } from 'zod';
import type { ShownGate } from '#agent/gates/shown-gate.ts';
import { shapeOf } from '#domain/tool/argument-shape.ts';
import type { Gate } from '#domain/tool/gate.ts';
import type { ToolCall } from '#domain/tool/tool.ts';

const gateKind = z.enum(['external-tool', 'approval', 'auth', 'pairing']);

export const toolCall = z.strictObject({ call_id: z.string(), name: z.string(), arguments: z.string() });

/** An open gate, with what a person needs to know in order to answer it. */
export const openGate = z
  .strictObject({
    id: z.uuid(),
    user_id: z.string().describe('The owner of the thread.'),
    thread_id: z.uuid(),
    turn_id: z.uuid(),
    kind: gateKind,
    call: toolCall,
    always: z
      .array(z.string())
      .optional()
      .describe(
        'The calls that `always` would approve: one line for each argument. Missing where `always` is not accepted.',
      ),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'OpenGate' });

export function renderGate(gate: ShownGate): z.infer<typeof openGate> {
  return {
    ...renderNestedGate(gate),
    user_id: gate.userId,
    thread_id: gate.threadId,
    turn_id: gate.turnId,
    ...(gate.acceptsAlways && { always: shapeOf(gate.call.arguments).split('\n') }),
    created_at: gate.createdAt.toISOString(),
  };
}

/** A gate inside an answer that already names its thread, turn and user. */
export const nestedGate = openGate.pick({ id: true, kind: true, call: true });

export function renderNestedGate({ id, kind, call }: Pick<Gate, 'id' | 'kind' | 'call'>): z.infer<typeof nestedGate> {
  return { id, kind, call: renderToolCall(call) };
}

export const renderToolCall = (call: ToolCall): z.infer<typeof toolCall> => ({
  call_id: call.callId,
  name: call.name,
  arguments: call.arguments,
});
