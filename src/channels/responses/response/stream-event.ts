import { z } from 'zod';
import { fileSearchCallId } from './file-search-calls.ts';
import { codeCallId, shellOutputId, shellResult } from './hosted-calls.ts';
import {
  annotation,
  emptyMessage,
  functionCallId,
  messageId,
  outputItem,
  outputsOfSteps,
  outputText,
  reasoningId,
  summaryText,
} from './output-items.ts';
import { type ResponseObject, responseObject } from './response-object.ts';
import { webSearchCallId } from './web-search-calls.ts';

const index = z.int().min(0);
const partFields = { item_id: messageId, output_index: index, content_index: z.literal(0) };
const summaryFields = { item_id: reasoningId, output_index: index, summary_index: index };
const codeFields = { item_id: codeCallId, output_index: index };
const searchFields = { item_id: webSearchCallId, output_index: index };
const fileSearchFields = { item_id: fileSearchCallId, output_index: index };
const commandFields = { output_index: index, command_index: z.literal(0) };
const logprobs = z.array(z.never());

/** The events of a stream. */
export const streamEvent = z
  .discriminatedUnion('type', [
    snapshotEvent('response.created', isBeginning),
    snapshotEvent('response.in_progress', isBeginning),
    eventOf('response.output_item.added', {
      output_index: index,
      item: z.discriminatedUnion('type', [emptyMessage, ...outputsOfSteps]),
    }),
    eventOf('response.content_part.added', { ...partFields, part: outputText }).refine(
      (added) => added.part.text === '',
      'a part is added empty',
    ),
    eventOf('response.output_text.delta', { ...partFields, delta: z.string().min(1), logprobs }),
    eventOf('response.output_text.annotation.added', {
      ...partFields,
      annotation_index: index,
      annotation,
    }),
    eventOf('response.output_text.done', { ...partFields, text: z.string(), logprobs }),
    eventOf('response.content_part.done', { ...partFields, part: outputText }),
    eventOf('response.function_call_arguments.done', {
      item_id: functionCallId,
      output_index: index,
      name: z.string().min(1),
      arguments: z.string(),
    }),
    eventOf('response.reasoning_summary_part.added', { ...summaryFields, part: summaryText }).refine(
      (added) => added.part.text === '',
      'a part is added empty',
    ),
    eventOf('response.reasoning_summary_text.delta', { ...summaryFields, delta: z.string().min(1) }),
    eventOf('response.reasoning_summary_text.done', { ...summaryFields, text: z.string() }),
    eventOf('response.reasoning_summary_part.done', { ...summaryFields, part: summaryText }),
    eventOf('response.code_interpreter_call.in_progress', codeFields),
    eventOf('response.code_interpreter_call_code.delta', { ...codeFields, delta: z.string().min(1) }),
    eventOf('response.code_interpreter_call_code.done', { ...codeFields, code: z.string() }),
    eventOf('response.code_interpreter_call.interpreting', codeFields),
    eventOf('response.code_interpreter_call.completed', codeFields),
    eventOf('response.web_search_call.in_progress', searchFields),
    eventOf('response.web_search_call.searching', searchFields),
    eventOf('response.web_search_call.completed', searchFields),
    eventOf('response.file_search_call.in_progress', fileSearchFields),
    eventOf('response.file_search_call.searching', fileSearchFields),
    eventOf('response.file_search_call.completed', fileSearchFields),
    eventOf('response.shell_call_command.added', { ...commandFields, command: z.literal('') }),
    eventOf('response.shell_call_command.delta', { ...commandFields, delta: z.string().min(1) }),
    eventOf('response.shell_call_command.done', { ...commandFields, command: z.string() }),
    eventOf('response.shell_call_output_content.delta', {
      ...commandFields,
      item_id: shellOutputId,
      delta: z.strictObject({ stdout: z.string().min(1) }),
    }),
    eventOf('response.shell_call_output_content.done', {
      ...commandFields,
      item_id: shellOutputId,
      output: z.array(shellResult).max(1),
    }),
    eventOf('response.output_item.done', { output_index: index, item: outputItem }),
    snapshotEvent('response.completed', ({ status }) => status === 'completed'),
    snapshotEvent('response.incomplete', ({ status }) => status === 'incomplete'),
    snapshotEvent('response.failed', ({ status }) => status === 'failed' || status === 'cancelled'),
  ])
  .meta({ id: 'StreamEvent' });

export type NumberedStreamEvent = z.infer<typeof streamEvent>;

/** An event that has no number yet. */
export type StreamEvent = NumberedStreamEvent extends infer E
  ? E extends unknown
    ? Omit<E, 'sequence_number'>
    : never
  : never;

function eventOf<T extends string, S extends z.ZodRawShape>(type: T, fields: S) {
  return z.strictObject({ type: z.literal(type), sequence_number: index, ...fields });
}

/** An event with the whole response object, which has to fit the event. */
function snapshotEvent<T extends string>(type: T, fits: (response: ResponseObject) => boolean) {
  return z
    .strictObject({ type: z.literal(type), sequence_number: index, response: responseObject })
    .refine(({ response }) => fits(response), `the response does not fit ${type}`);
}

function isBeginning({ status, output }: ResponseObject): boolean {
  return status === 'in_progress' && output.length === 0;
}
