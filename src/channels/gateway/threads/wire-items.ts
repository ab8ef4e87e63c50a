import { z } from 'zod';

/** What a model call, or all of them together, consumed. `cost_usd` is a decimal; null when a price is unknown. */
export const wireUsage = z
  .strictObject({
    input_tokens: z.int().min(0),
    cached_tokens: z.int().min(0),
    output_tokens: z.int().min(0),
    reasoning_tokens: z.int().min(0),
    cost_usd: z.string().nullable(),
  })
  .meta({ id: 'Spent' });

/**
 * A part of a message or of an output. The bytes of an image or a file are fetched from `url`; it is null while the
 * item is only announced and does not stand in its thread yet.
 */
const attached = { media_type: z.string(), bytes: z.int().min(0), url: z.string().nullable() };

export const wirePart = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('text'), text: z.string() }),
    z.strictObject({ type: z.literal('image'), ...attached }),
    z.strictObject({ type: z.literal('file'), filename: z.string().nullable(), ...attached }),
  ])
  .meta({ id: 'ItemPart' });

const message = {
  type: z.literal('message'),
  role: z.enum(['user', 'assistant', 'system', 'developer']),
  content: z.array(wirePart),
  /** `incomplete`: the model stopped, failed or was cancelled in mid-sentence. */
  status: z.enum(['completed', 'incomplete']),
};

const call = {
  type: z.literal('function_call'),
  call_id: z.string(),
  name: z.string(),
  arguments: z.string().describe('JSON text, exactly as the model wrote it.'),
  external: z.boolean().describe("Whether it is the caller's to make."),
};

const output = { type: z.literal('function_call_output'), call_id: z.string(), output: z.array(wirePart) };

const id = { id: z.uuid() };

/** An item as events carry it: without its place. */
export const bareItem = z
  .discriminatedUnion('type', [
    z.strictObject({ ...id, ...message }),
    z.strictObject({ ...id, ...call }),
    z.strictObject({ ...id, ...output }),
  ])
  .meta({ id: 'BareItem' });

const place = {
  ...id,
  turn_id: z.uuid(),
  turn_seq: z.int().min(1).describe("The turn's place in the thread."),
  position: z.int().min(0).describe("The item's place in its turn."),
  attempt: z.int().min(0).nullable().describe('The attempt that wrote it; null when it came with the input.'),
  usage: wireUsage.nullable().describe('What the model call that made it consumed; on the first item of each answer.'),
  created_at: z.iso.datetime(),
};

/** An item in its place. Its order in a thread is (turn_seq, position). */
export const wireItem = z
  .discriminatedUnion('type', [
    z.strictObject({ ...place, ...message }),
    z.strictObject({
      ...place,
      ...call,
      started_at: z.iso.datetime().nullable().describe('When its tool was started.'),
      ended_at: z.iso.datetime().nullable().describe('When its output was written.'),
    }),
    z.strictObject({ ...place, ...output }),
  ])
  .meta({ id: 'ThreadItem' });

export const itemsQuery = z.object({
  limit: z.coerce
    .number<string>('limit must be a number from 1 to 200.')
    .int('limit must be a whole number.')
    .min(1, 'limit must be at least 1.')
    .max(200, 'limit must be at most 200.')
    .default(50),
  before: z.uuid('before must be the id of an item of this thread.').optional(),
});

/**
 * The body of `GET /api/threads/{id}/items`: the newest `limit` items before `before`, the oldest of them first.
 * `next_before` asks for the page before this one; null at the thread's beginning.
 */
export const itemList = z
  .strictObject({ items: z.array(wireItem), next_before: z.uuid().nullable() })
  .meta({ id: 'ItemList' });
