import { z } from 'zod';
import type { Agent } from '#agent/agent.ts';
import { noReplyYet, replyAfter } from '#agent/watch/turn-reply.ts';
import type { ItemId } from '#domain/ids.ts';
import type { Principal } from '#domain/principal.ts';
import { createCitedText, linkToSource } from '#domain/search/cited-text.ts';
import { ANSWER_BREAK } from '#domain/thread/replayed-history.ts';
import type { ThreadUrl } from '#domain/thread/thread.ts';
import type { Turn } from '#domain/thread/turn.ts';
import { failedTurn, renderFailure } from '../../model-api/failed-turn.ts';
import { isAnswer } from '../../model-api/is-answer.ts';
import {
  completionFields,
  completionUsage,
  finishOf,
  finishReason,
  renderAnswers,
  renderCall,
  renderFields,
  renderUsage,
  toolCall,
  urlAnnotation,
} from './completion.ts';

/** The role comes first, then the text in pieces, and a call of the caller's tool whole. */
const delta = z.strictObject({
  role: z.literal('assistant').optional(),
  content: z.string().optional(),
  annotations: z.array(urlAnnotation).optional(),
  tool_calls: z
    .array(toolCall.extend({ index: z.literal(0) }).meta({ id: 'ToolCallDelta' }))
    .length(1)
    .optional(),
});

const chunk = z
  .strictObject({
    ...completionFields,
    object: z.literal('chat.completion.chunk'),
    choices: z
      .array(z.strictObject({ index: z.literal(0), delta, logprobs: z.null(), finish_reason: finishReason.nullable() }))
      .max(1)
      .describe('Empty in the chunk that has the usage.'),
    usage: completionUsage.optional(),
  })
  .meta({ id: 'ChatCompletionChunk' });

/** What a stream sends before `[DONE]`. After an error nothing follows. */
export const streamedChunk = z.union([chunk, failedTurn]);

type Chunk = z.infer<typeof chunk>;
type StreamedChunk = z.infer<typeof streamedChunk>;

export const DONE = '[DONE]';

/** Whether a client that has this chunk has everything; only `[DONE]` follows. */
export function isLast(sent: StreamedChunk | typeof DONE, includeUsage: boolean): boolean {
  if (sent === DONE) return false;
  if ('error' in sent) return true;
  return includeUsage ? sent.usage !== undefined : sent.choices.some((choice) => choice.finish_reason !== null);
}

/** A turn as the chunks of the format. The end of a stream is `[DONE]` or an error. */
export async function* streamCompletion(
  agent: Agent,
  owner: Principal,
  turn: Turn,
  options: { model: string; includeUsage: boolean; threadUrl: ThreadUrl; fresh: boolean; signal: AbortSignal },
): AsyncGenerator<StreamedChunk | typeof DONE, void> {
  const fields = { ...renderFields(turn, options.model), object: 'chat.completion.chunk' as const };
  const chunkOf = (change: z.infer<typeof delta>, finish: Chunk['choices'][number]['finish_reason'] = null): Chunk => ({
    ...fields,
    choices: [{ index: 0, delta: change, logprobs: null, finish_reason: finish }],
  });

  yield chunkOf({ role: 'assistant' });
  let reply = noReplyYet(turn);
  const answers = new Map<ItemId, ReturnType<typeof createCitedText>>();
  let speaking: ItemId | undefined;
  const contentOf = (itemId: ItemId, said: string): Chunk[] => {
    if (said === '') return [];
    const isAnother = speaking !== undefined && speaking !== itemId;
    speaking = itemId;
    return [chunkOf({ content: isAnother ? ANSWER_BREAK + said : said })];
  };
  for await (const { event } of agent.watch(owner, turn, options)) {
    reply = replyAfter(reply, event);
    if (event.type === 'item-added' && isAnswer(event.item))
      answers.set(event.item.id, createCitedText(event.item.citations, linkToSource));
    if (event.type === 'text-delta') yield* contentOf(event.itemId, answers.get(event.itemId)?.push(event.delta) ?? '');
    if (event.type === 'item-done') yield* contentOf(event.item.id, answers.get(event.item.id)?.end() ?? '');
    if (event.type !== 'turn-ended') continue;

    const failure = renderFailure(reply, options.threadUrl);
    if (failure) {
      yield failure;
      return;
    }
    if (event.gate) yield chunkOf({ tool_calls: [{ index: 0, ...renderCall(event.gate.call) }] });
    const { annotations } = renderAnswers(reply.made);
    if (annotations.length > 0) yield chunkOf({ annotations });
    yield chunkOf({}, finishOf(reply));
    if (options.includeUsage) yield { ...fields, choices: [], usage: renderUsage(reply.turn.usage) };
    yield DONE;
  }
}
