import type { ItemId } from '#domain/ids.ts';
import { createCitedText, linkToSource } from '#domain/search/cited-text.ts';
import type { NewItem } from '#domain/thread/item.ts';
import type { Turn } from '#domain/thread/turn.ts';
import type { TurnEvent } from '#domain/thread/turn-event.ts';
import type { GatedCall } from '#domain/tool/gate.ts';
import { isAnswer } from '../../model-api/is-answer.ts';
import { type CiteFiles, createCitations } from './file-citations.ts';
import { hostedViewOf } from './hosted-calls.ts';
import { createHostedEvents } from './hosted-events.ts';
import {
  renderCall,
  renderCompaction,
  renderMessage,
  renderReasoningBefore,
  renderSaid,
  renderText,
  wireItemId,
} from './output-items.ts';
import { echoOf } from './response-echo.ts';
import type { StreamEvent } from './stream-event.ts';
import { createToolActivity, type McpCall } from './tool-activity.ts';

/** Renders the events of the output items. The agent's tool calls are shown only with `toolActivity`, or as hosted tools. */
export function createOutput(turn: Turn): (event: TurnEvent) => Generator<StreamEvent> {
  const places = createPlaces();
  const activityOf = createToolActivity(echoOf(turn).toolActivity);
  const hosted = createHostedEvents(hostedViewOf(turn), places.of);
  const citationsOf = createCitations(turn);
  const speaking = new Map<ItemId, ReturnType<typeof createCitedText>>();
  return function* render(event) {
    switch (event.type) {
      case 'item-added':
        if (!isAnswer(event.item)) return;
        speaking.set(event.item.id, createCitedText(event.item.citations, linkToSource));
        yield* startMessage(places, event.item);
        return;
      case 'text-delta':
        yield* addText(places, event.itemId, speaking.get(event.itemId)?.push(event.delta) ?? event.delta);
        return;
      case 'item-done':
        if (event.item.type === 'compaction') yield* showWhole(places.of(event.item), renderCompaction(event.item));
        else if (isAnswer(event.item)) {
          yield* addText(places, event.item.id, speaking.get(event.item.id)?.end() ?? '');
          yield* finishMessage(places, event.item, citationsOf(event.item));
        } else if (event.written) {
          citationsOf(event.item);
          yield* showReasoning(places, event.item);
          const activity = activityOf(event.item);
          if (hosted.takes(event.item)) yield* hosted.show(event.item);
          else if (activity) yield* showWhole(places.of(event.item), activity);
        }
        return;
      case 'tool-progress':
      case 'model-failed': // the reference format has no event for it, and its clients refuse unknown ones
        return;
      case 'turn-ended':
        yield* hosted.end();
        if (event.gate?.kind === 'external-tool') yield* showCall(places, event.gate.call);
    }
  };
}

type Places = ReturnType<typeof createPlaces>;
type Message = Extract<NewItem, { type: 'message' }>;
type Whole = McpCall | ReturnType<typeof renderCompaction>;

/** Where items are in the output, in the order of their first event. */
function createPlaces() {
  const indexes = new Map<string, number>();
  const place = (id: string) => {
    const output_index = indexes.get(id) ?? indexes.size;
    indexes.set(id, output_index);
    return { output_index };
  };
  return {
    find: (id: string) => indexes.get(id),
    /** A place at the end. */
    add(id: string): number {
      const end = indexes.size;
      indexes.set(id, end);
      return end;
    },
    of: (item: NewItem) => place(item.id),
    /** The place of the text of a message. */
    part: (item: Message) => ({
      item_id: wireItemId(item.type, item.id),
      ...place(item.id),
      content_index: 0 as const,
    }),
  };
}

function* startMessage(places: Places, message: Message): Generator<StreamEvent> {
  yield* showReasoning(places, message);
  const item = { ...renderMessage(message), status: 'in_progress' as const, content: [] };
  yield { type: 'response.output_item.added', ...places.of(message), item };
  yield { type: 'response.content_part.added', ...places.part(message), part: renderText('') };
}

function* addText(places: Places, itemId: ItemId, delta: string): Generator<StreamEvent> {
  const output_index = places.find(itemId);
  if (output_index === undefined || delta === '') return;
  const item_id = wireItemId('message', itemId);
  yield { type: 'response.output_text.delta', item_id, output_index, content_index: 0, delta, logprobs: [] };
}

function* finishMessage(places: Places, message: Message, citations: CiteFiles): Generator<StreamEvent> {
  const part = renderSaid(message, citations);
  for (const [annotation_index, annotation] of part.annotations.entries())
    yield { type: 'response.output_text.annotation.added', ...places.part(message), annotation_index, annotation };
  yield { type: 'response.output_text.done', ...places.part(message), text: part.text, logprobs: [] };
  yield { type: 'response.content_part.done', ...places.part(message), part };
  yield { type: 'response.output_item.done', ...places.of(message), item: renderMessage(message, citations) };
}

/** Without deltas: the call arrives whole, and clients would add the deltas to it. */
function* showCall(places: Places, call: GatedCall): Generator<StreamEvent> {
  const item = renderCall(call);
  const place = places.of(call);
  yield { type: 'response.output_item.added', ...place, item };
  const { id: item_id, name, arguments: json } = item;
  yield { type: 'response.function_call_arguments.done', item_id, ...place, name, arguments: json };
  yield { type: 'response.output_item.done', ...place, item };
}

/** Whole: watchers learn of it when the model has finished thinking. */
function* showReasoning(places: Places, item: NewItem): Generator<StreamEvent> {
  for (const reasoning of renderReasoningBefore(item)) {
    const { id: item_id, summary } = reasoning;
    const output_index = places.add(item_id);
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

function* showWhole(place: { output_index: number }, item: Whole): Generator<StreamEvent> {
  for (const type of ['response.output_item.added', 'response.output_item.done'] as const)
    yield { type, ...place, item };
}
