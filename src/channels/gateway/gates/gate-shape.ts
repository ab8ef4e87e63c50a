import { z } from 'zod';
import type { ShownGate } from '#agent/gates/shown-gate.ts';
import { shapeOf } from '#domain/tool/argument-shape.ts';
import type { Gate } from '#domain/tool/gate.ts';
import type { Question } from '#domain/tool/question.ts';
import type { ToolCall } from '#domain/tool/tool.ts';

const gateKind = z.enum(['external-tool', 'approval', 'auth', 'pairing', 'input']);

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
    question: z
      .strictObject({
        message: z.string(),
        url: z.string().nullable().describe('An address that the person opens instead of filling in fields.'),
        fields: z.array(
          z.strictObject({
            name: z.string(),
            title: z.string(),
            description: z.string(),
            type: z.enum(['text', 'number', 'integer', 'boolean', 'choice', 'choices']),
            required: z.boolean(),
            options: z.array(z.strictObject({ value: z.string(), label: z.string() })),
            min: z.number().nullable(),
            max: z.number().nullable(),
          }),
        ),
      })
      .optional()
      .describe('Of a gate of the kind `input`: what an MCP server asks before it can finish the call.'),
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
    ...(gate.question && { question: renderQuestion(gate.question) }),
    created_at: gate.createdAt.toISOString(),
  };
}

const renderQuestion = ({ message, url, fields }: Question) => ({
  message,
  url,
  fields: fields.map((field) => ({ ...field, options: [...field.options] })),
});

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
