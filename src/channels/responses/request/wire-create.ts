import { z } from 'zod';
import { wireResponseId } from '../response/wire-response.ts';

/** For the document only: parse-create.ts validates. It also knows the rules that a schema can't tell, such as bytes. */
export const wireCreate = z
  .looseObject({
    model: z
      .string()
      .min(1)
      .describe('A hint for routing, at most 256 bytes; no whitespace around it, no control characters.'),
    input: z.union([z.string().regex(/\S/), z.array(inputItem()).min(1)]),
    previous_response_id: wireResponseId.nullish().describe('Continues the thread of that response.'),
    stream: z.boolean().nullish().describe('Answer with server-sent events.'),
    background: z.boolean().nullish().describe('Answer at once, with status queued.'),
    temperature: z.number().min(0).max(2).nullish(),
    instructions: z.string().nullish().describe('Stands ahead of the message, and stays in the thread with it.'),
    x_context: z
      .record(z.string(), z.unknown())
      .nullish()
      .describe('What the model should know besides, at most 10,240 bytes of JSON.'),
    tools: z
      .array(tool())
      .nullish()
      .describe('Functions that the caller runs, at most 16,384 bytes of canonical JSON. Names are unique.'),
    metadata: z.record(z.string(), z.unknown()).nullish().describe('Kept, and shown again with the response.'),
  })
  .meta({ id: 'CreateResponse', description: 'Unknown fields are ignored.' });

function tool() {
  return z.looseObject({
    type: z.literal('function'),
    name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
    description: z.string().nullish(),
    parameters: z.record(z.string(), z.unknown()).nullish().describe('A JSON Schema.'),
    strict: z.boolean().nullish(),
  });
}

function inputItem() {
  const call_id = z.string().min(1);
  return z.union([
    z.looseObject({
      type: z.literal('message').nullish(),
      role: z.enum(['user', 'assistant', 'system', 'developer']),
      content: content(),
    }),
    z.looseObject({ type: z.literal('function_call'), call_id, name: z.string().min(1), arguments: z.string() }),
    z.looseObject({ type: z.literal('function_call_output'), call_id, output: content() }),
    z.looseObject({ type: z.literal('item_reference'), id: z.string() }).describe('An item of an earlier response.'),
    z.looseObject({ type: z.literal('reasoning') }).describe('Ignored.'),
  ]);
}

function content() {
  const dataUrl = z.string().regex(/^data:[\w.+-]+\/[\w.+-]+;base64,[A-Za-z0-9+/]+={0,2}$/);
  const part = z.union([
    z.looseObject({ type: z.enum(['input_text', 'output_text', 'text']), text: z.string() }),
    z.looseObject({ type: z.literal('input_image'), image_url: dataUrl }),
    z.looseObject({ type: z.literal('input_file'), file_data: dataUrl, filename: z.unknown().optional() }),
  ]);
  return z.union([z.string(), z.array(part)]);
}
