import { z } from 'zod';

/** A part of what was said. We annotate nothing, and tell no probabilities. */
export const wireOutputText = z
  .strictObject({
    type: z.literal('output_text'),
    text: z.string(),
    annotations: z.array(z.never()),
    logprobs: z.array(z.never()),
  })
  .meta({ id: 'OutputText' });

export const wireMessageId = z.string().regex(/^msg_[0-9a-f]{32}$/);

const wireMessage = z
  .strictObject({
    id: wireMessageId,
    type: z.literal('message'),
    role: z.literal('assistant'),
    status: z.enum(['completed', 'incomplete']),
    content: z.array(wireOutputText).length(1),
  })
  .meta({ id: 'OutputMessage' });

/** A message whose text is still to come. */
export const wireEmptyMessage = z
  .strictObject({
    id: wireMessageId,
    type: z.literal('message'),
    role: z.literal('assistant'),
    status: z.literal('in_progress'),
    content: z.array(z.never()),
  })
  .meta({ id: 'EmptyMessage' });

export const wireFunctionCall = z
  .strictObject({
    id: z.string().regex(/^fc_[0-9a-f]{32}$/),
    type: z.literal('function_call'),
    status: z.literal('completed'),
    call_id: z.string().min(1),
    name: z.string().min(1),
    arguments: z.string().describe('JSON, as the model wrote it.'),
  })
  .meta({ id: 'FunctionCall' });

export const wireOutputItem = z.discriminatedUnion('type', [wireMessage, wireFunctionCall]).meta({ id: 'OutputItem' });

export type WireOutputText = z.infer<typeof wireOutputText>;
export type WireOutputItem = z.infer<typeof wireOutputItem>;
export type WireMessage = z.infer<typeof wireMessage>;
export type WireFunctionCall = z.infer<typeof wireFunctionCall>;
