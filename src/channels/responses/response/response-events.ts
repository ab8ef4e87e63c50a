import { z } from 'zod';
import type { Agent } from '#agent/agent.ts';
import { noReplyYet, replyAfter } from '#agent/watch/turn-reply.ts';
import type { Principal } from '#domain/principal.ts';
import { type CompactionBody, type NewItem, textOf } from '#domain/thread/item.ts';
import type { ThreadUrl } from '#domain/thread/thread.ts';
import type { Turn } from '#domain/thread/turn.ts';
import { attemptOf, firstSequence, type TurnEvent } from '#domain/thread/turn-event.ts';
import type { GatedCall } from '#domain/tool/gate.ts';
import { isAnswer } from '../../model-api/is-answer.ts';
import { createCatchUp } from './catch-up.ts';
import {
  compactionItem,
  emptyMessage,
  functionCall,
  functionCallId,
  messageId,
  outputItem,
  outputText,
  reasoningId,
  reasoningItem,
  renderCall,
  renderCompaction,
  renderMessage,
  renderReasoningBefore,
  renderText,
  summaryText,
  wireItemId,
} from './output-items.ts';
import { echoOf } from './response-echo.ts';
import { type ResponseObject, renderResponse, responseObject } from './response-object.ts';
import { createToolActivity, mcpCall } from './tool-activity.ts';

const index = z.int().min(0);
const partFields = { item_id: messageId, output_index: index, content_index: z.literal(0) };
const summaryFields = { item_id: reasoningId, output_index: index, summary_index: index };
const logprobs = z.array(z.never());

/** The events of a stream. */
export const streamEvent = z
  .discriminatedUnion('type', [
    snapshotEvent('response.created', isBeginning),
    snapshotEvent('response.in_progress', isBeginning),
    eventOf('response.output_item.added', {
      output_index: index,
      item: z.discriminatedUnion('type', [emptyMessage, functionCall, mcpCall, compactionItem, reasoningItem]),
    }),
    eventOf('response.content_part.added', { ...partFields, part: outputText }).refine(
      (added) => added.part.text === '',
      'a part is added empty',
    ),
    eventOf('response.output_text.delta', { ...partFields, delta: z.string().min(1), logprobs }),
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
    eventOf('response.output_item.done', { output_index: index, item: outputItem }),
    snapshotEvent('response.completed', ({ status }) => status === 'completed'),
    snapshotEvent('response.incomplete', ({ status }) => status === 'incomplete'),
    snapshotEvent('response.failed', ({ status }) => status === 'failed' || status === 'cancelled'),
  ])
  .meta({ id: 'StreamEvent' });

export type NumberedStreamEvent = z.infer<typeof streamEvent>;

/** An event that has no number yet. */
type StreamEvent = NumberedStreamEvent extends infer E
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

/**
 * A turn as the events of the reference format, from its first one on. The numbers are counted here, the same way on
 * every replica, so that `startingAfter` means the same wherever a client comes back, unless a part of the log is lost (catch-up.ts).
 */
export async function* streamResponse(
  agent: Agent,
  owner: Principal,
  turn: Turn,
  options: { model: string; threadUrl?: ThreadUrl; startingAfter: number; fresh: boolean; signal: AbortSignal },
): AsyncGenerator<NumberedStreamEvent, void> {
  const { model, threadUrl, startingAfter } = options;
  const number = createNumbering();
  const catchUp = createCatchUp<NumberedStreamEvent>(startingAfter);
  const output = createOutput(echoOf(turn).toolActivity);
  let reply = noReplyYet({ ...turn, status: 'running', failure: null, endedAt: null });
  const started = renderResponse(reply, model);

  for (const type of ['response.created', 'response.in_progress'] as const)
    yield* catchUp(number({ type, response: started }, 0));
  for await (const { sequence, event, loss } of agent.watch(owner, turn, options)) {
    for (const rendered of output.render(event)) yield* catchUp(number(rendered, attemptOf(sequence)), loss);
    reply = replyAfter(reply, event);
    if (event.type === 'turn-ended')
      yield* catchUp(number(terminalEvent(renderResponse(reply, model, threadUrl)), attemptOf(sequence)), loss);
  }
}

/** Counts from 0, and on from a new base with every attempt. */
function createNumbering() {
  let next = 0;
  return (event: StreamEvent, attempt: number): NumberedStreamEvent => {
    next = Math.max(next, firstSequence(attempt));
    return { ...event, sequence_number: next++ };
  };
}

function terminalEvent(response: ResponseObject): StreamEvent {
  const type = response.status === 'completed' || response.status === 'incomplete' ? response.status : 'failed';
  return { type: `response.${type}` as const, response };
}

/** Renders the events of the output items. The agent's tool calls are shown only with `toolActivity`. */
function createOutput(toolActivity: boolean) {
  const activityOf = createToolActivity(toolActivity);
  const indexes = new Map<string, number>();

  const indexOf = (item: NewItem) => {
    const known = indexes.get(item.id) ?? indexes.size;
    indexes.set(item.id, known);
    return { output_index: known };
  };
  const part = (item: NewItem) => ({
    item_id: wireItemId(item.type, item.id),
    ...indexOf(item),
    content_index: 0 as const,
  });

  function* render(event: TurnEvent): Generator<StreamEvent> {
    switch (event.type) {
      case 'item-added':
        if (!isAnswer(event.item)) return;
        yield* showReasoning(event.item);
        yield {
          type: 'response.output_item.added',
          ...indexOf(event.item),
          item: { ...renderMessage(event.item), status: 'in_progress', content: [] },
        };
        yield { type: 'response.content_part.added', ...part(event.item), part: renderText('') };
        return;
      case 'text-delta': {
        const output_index = indexes.get(event.itemId);
        if (output_index === undefined) return;
        const item_id = wireItemId('message', event.itemId);
        yield {
          type: 'response.output_text.delta',
          item_id,
          output_index,
          content_index: 0,
          delta: event.delta,
          logprobs: [],
        };
        return;
      }
      case 'item-done':
        if (event.item.type === 'compaction') yield* showCompaction(event.item);
        else if (isAnswer(event.item)) yield* finishMessage(event.item);
        else if (event.written) {
          yield* showReasoning(event.item);
          yield* showActivity(event.item);
        }
        return;
      case 'tool-progress':
      case 'model-failed': // the reference format has no event for it, and its clients refuse unknown ones
        return;
      case 'turn-ended':
        if (event.gate?.kind !== 'external-tool') return;
        yield* showCall(event.gate.call);
    }
  }

  /** Without deltas: the call arrives whole, and clients would add the deltas to it. */
  function* showCall(call: GatedCall): Generator<StreamEvent> {
    const item = renderCall(call);
    const place = indexOf(call);
    yield { type: 'response.output_item.added', ...place, item };
    const { id: item_id, name, arguments: json } = item;
    yield { type: 'response.function_call_arguments.done', item_id, ...place, name, arguments: json };
    yield { type: 'response.output_item.done', ...place, item };
  }

  /** Whole: watchers learn of it when the model has finished thinking. */
  function* showReasoning(item: NewItem): Generator<StreamEvent> {
    for (const reasoning of renderReasoningBefore(item)) {
      const { id: item_id, summary } = reasoning;
      const output_index = indexes.size;
      indexes.set(item_id, output_index);
      yield { type: 'response.output_item.added', output_index, item: { ...reasoning, summary: [] } };
      for (const [summary_index, thought] of summary.entries()) {
        const place = { item_id, output_index, summary_index };
        yield { type: 'response.reasoning_summary_part.added', ...place, part: { ...thought, text: '' } };
        yield { type: 'response.reasoning_summary_text.delta', ...place, delta: thought.text };
        yield { type: 'response.reasoning_summary_text.done', ...place, text: thought.text };
        yield { type: 'response.reasoning_summary_part.done', ...place, part: thought };
      }
      yield { type: 'response.output_item.done', output_index, item: reasoning };
    }
  }

  function* showCompaction(compaction: NewItem & CompactionBody): Generator<StreamEvent> {
    const item = renderCompaction(compaction);
    for (const type of ['response.output_item.added', 'response.output_item.done'] as const)
      yield { type, ...indexOf(compaction), item };
  }

  function* finishMessage(item: Extract<NewItem, { type: 'message' }>): Generator<StreamEvent> {
    const said = textOf(item.content);
    yield { type: 'response.output_text.done', ...part(item), text: said, logprobs: [] };
    yield { type: 'response.content_part.done', ...part(item), part: renderText(said) };
    yield { type: 'response.output_item.done', ...indexOf(item), item: renderMessage(item) };
  }

  function* showActivity(item: NewItem): Generator<StreamEvent> {
    const shown = activityOf(item);
    if (!shown) return;
    for (const type of ['response.output_item.added', 'response.output_item.done'] as const)
      yield { type, ...indexOf(item), item: shown };
  }

  return { render };
}
