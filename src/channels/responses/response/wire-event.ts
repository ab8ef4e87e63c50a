import { z } from 'zod';
import { wireEmptyMessage, wireFunctionCall, wireMessageId, wireOutputItem, wireOutputText } from './wire-item.ts';
import { type WireResponse, wireResponse } from './wire-response.ts';

const index = z.int().min(0);
const part = { item_id: wireMessageId, output_index: index, content_index: z.literal(0) };
const logprobs = z.array(z.never());

/** The events of a stream as we send them. */
export const wireEvent = z
  .discriminatedUnion('type', [
    snapshotEvent('response.created', isBeginning),
    snapshotEvent('response.in_progress', isBeginning),
    event('response.output_item.added', {
      output_index: index,
      item: z.discriminatedUnion('type', [wireEmptyMessage, wireFunctionCall]),
    }),
    event('response.content_part.added', { ...part, part: wireOutputText }).refine(
      (added) => added.part.text === '',
      'a part is added empty',
    ),
    event('response.output_text.delta', { ...part, delta: z.string().min(1), logprobs }),
    event('response.output_text.done', { ...part, text: z.string(), logprobs }),
    event('response.content_part.done', { ...part, part: wireOutputText }),
    event('response.output_item.done', { output_index: index, item: wireOutputItem }),
    snapshotEvent('response.completed', ({ status }) => status === 'completed'),
    snapshotEvent('response.incomplete', ({ status }) => status === 'incomplete'),
    snapshotEvent('response.failed', ({ status }) => status === 'failed' || status === 'cancelled'),
  ])
  .meta({ id: 'StreamEvent' });

export type NumberedWireEvent = z.infer<typeof wireEvent>;

/** An event that has no number yet. */
export type WireEvent = NumberedWireEvent extends infer E
  ? E extends unknown
    ? Omit<E, 'sequence_number'>
    : never
  : never;

function event<T extends string, S extends z.ZodRawShape>(type: T, fields: S) {
  return z.strictObject({ type: z.literal(type), sequence_number: index, ...fields });
}

/** An event with the whole response object, which has to fit the event. */
function snapshotEvent<T extends string>(type: T, fits: (response: WireResponse) => boolean) {
  return z
    .strictObject({ type: z.literal(type), sequence_number: index, response: wireResponse })
    .refine(({ response }) => fits(response), `the response does not fit ${type}`);
}

function isBeginning({ status, output }: WireResponse): boolean {
  return status === 'in_progress' && output.length === 0;
}
