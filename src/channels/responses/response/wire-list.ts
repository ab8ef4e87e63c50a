import { z } from 'zod';
import { wireMessageId, wireOutputItem } from './wire-item.ts';

const inputPart = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('input_text'), text: z.string() }),
  z.strictObject({ type: z.literal('input_image'), detail: z.literal('auto'), image_url: z.string() }),
  z.strictObject({ type: z.literal('input_file'), file_data: z.string(), filename: z.string().min(1).optional() }),
]);

const inputMessage = z
  .strictObject({
    id: wireMessageId,
    type: z.literal('message'),
    role: z.enum(['user', 'system', 'developer']),
    status: z.literal('completed'),
    content: z.array(inputPart),
  })
  .meta({ id: 'InputMessage' });

const functionCallOutput = z
  .strictObject({
    id: z.string().regex(/^fco_[0-9a-f]{32}$/),
    type: z.literal('function_call_output'),
    status: z.literal('completed'),
    call_id: z.string().min(1),
    output: z.string(),
  })
  .meta({ id: 'FunctionCallOutput' });

/** What the assistant is told to have said before has the shape of its own output. */
const inputItem = z.union([inputMessage, wireOutputItem, functionCallOutput]).meta({ id: 'InputItem' });

/** A page of what came with a response's request. */
export const wireInputItems = z
  .strictObject({
    object: z.literal('list'),
    data: z.array(inputItem),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  })
  .refine(({ data, first_id }) => first_id === (data[0]?.id ?? null), 'first_id is not the first id')
  .refine(({ data, last_id }) => last_id === (data.at(-1)?.id ?? null), 'last_id is not the last id')
  .meta({ id: 'InputItems' });

/** What a client may offer its user to choose from. */
export const wireModels = z
  .strictObject({
    object: z.literal('list'),
    data: z.array(
      z.strictObject({
        id: z.string().min(1),
        object: z.literal('model'),
        created: z.int().min(0),
        owned_by: z.string().min(1),
      }),
    ),
  })
  .meta({ id: 'Models' });

export type WireModels = z.infer<typeof wireModels>;
