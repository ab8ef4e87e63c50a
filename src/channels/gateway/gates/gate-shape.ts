import { z } from 'zod';
import { shapeOf } from '#domain/tool/argument-shape.ts';
import type { OpenGate } from '#domain/tool/gate.ts';

export const gateKind = z.enum(['external-tool', 'approval', 'auth', 'pairing']);

export const gatedCall = z.strictObject({ call_id: z.string(), name: z.string(), arguments: z.string() });

/** An open gate, with what a person needs to know in order to answer it. */
export const openGate = z
  .strictObject({
    id: z.uuid(),
    user_id: z.string().describe('The owner of the thread.'),
    thread_id: z.uuid(),
    turn_id: z.uuid(),
    kind: gateKind,
    call: gatedCall,
    always: z
      .array(z.string())
      .optional()
      .describe('For an approval, the calls that `always` would approve: one line for each argument.'),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'OpenGate' });

export function renderGate(gate: OpenGate): z.infer<typeof openGate> {
  return {
    id: gate.id,
    user_id: gate.userId,
    thread_id: gate.threadId,
    turn_id: gate.turnId,
    kind: gate.kind,
    call: renderGatedCall(gate.call),
    ...(gate.kind === 'approval' && { always: shapeOf(gate.call.arguments).split('\n') }),
    created_at: gate.createdAt.toISOString(),
  };
}

type Call = { readonly callId: string; readonly name: string; readonly arguments: string };

export const renderGatedCall = (call: Call): z.infer<typeof gatedCall> => ({
  call_id: call.callId,
  name: call.name,
  arguments: call.arguments,
});
