import { z } from 'zod';
import type { TurnReply } from '#agent/watch/turn-reply.ts';
import { hexFromUuid } from '#domain/ids.ts';
import { citeText, linkToSource, type ShownCitation } from '#domain/search/cited-text.ts';
import { textOf } from '#domain/thread/item.ts';
import { ANSWER_BREAK } from '#domain/thread/replayed-history.ts';
import type { Turn } from '#domain/thread/turn.ts';
import type { GatedCall } from '#domain/tool/gate.ts';
import type { Usage } from '#domain/usage.ts';
import { isAnswer } from '../../model-api/is-answer.ts';

const count = z.int().min(0);

export const finishReason = z.enum(['stop', 'length', 'tool_calls']);

export const completionUsage = z
  .strictObject({
    prompt_tokens: count,
    completion_tokens: count,
    total_tokens: count,
    prompt_tokens_details: z.strictObject({ cached_tokens: count }),
    completion_tokens_details: z.strictObject({ reasoning_tokens: count }),
  })
  .refine(
    (usage) => usage.total_tokens === usage.prompt_tokens + usage.completion_tokens,
    'total_tokens is not the sum',
  )
  .meta({ id: 'CompletionUsage' });

export const toolCall = z
  .strictObject({
    id: z.string().min(1),
    type: z.literal('function'),
    function: z.strictObject({
      name: z.string().min(1),
      arguments: z.string().describe('JSON, as the model wrote it.'),
    }),
  })
  .meta({ id: 'ToolCall' });

/** A source of the answer, at the link that replaces it in the text. */
export const urlAnnotation = z
  .strictObject({
    type: z.literal('url_citation'),
    url_citation: z.strictObject({
      url: z.string().min(1),
      title: z.string(),
      start_index: z.int().min(0),
      end_index: z.int().min(1),
    }),
  })
  .meta({ id: 'UrlAnnotation', description: 'The indexes count UTF-16 units, as JavaScript does.' });

export const completionFields = {
  id: z.string().regex(/^chatcmpl-[0-9a-f]{64}$/),
  created: count,
  model: z.string().min(1).describe('As asked for.'),
};

/** The answer to a request without `stream`. */
export const chatCompletion = z
  .strictObject({
    ...completionFields,
    object: z.literal('chat.completion'),
    choices: z
      .array(
        z.strictObject({
          index: z.literal(0),
          message: z.strictObject({
            role: z.literal('assistant'),
            content: z.string().nullable(),
            refusal: z.null(),
            annotations: z.array(urlAnnotation).optional(),
            tool_calls: z.array(toolCall).length(1).optional(),
          }),
          logprobs: z.null(),
          finish_reason: finishReason,
        }),
      )
      .length(1),
    usage: completionUsage,
  })
  .meta({ id: 'ChatCompletion' });

type ChatCompletion = z.infer<typeof chatCompletion>;

export function renderCompletion(reply: TurnReply, model: string): ChatCompletion {
  const { turn, gate, made } = reply;
  const { said, annotations } = renderAnswers(made);
  const call = gate?.kind === 'external-tool' ? gate.call : undefined;
  return {
    ...renderFields(turn, model),
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: call ? said || null : said,
          refusal: null,
          ...(annotations.length > 0 && { annotations }),
          ...(call && { tool_calls: [renderCall(call)] }),
        },
        logprobs: null,
        finish_reason: finishOf(reply),
      },
    ],
    usage: renderUsage(turn.usage),
  };
}

/** All messages as one text, with links to their sources. */
export function renderAnswers(made: TurnReply['made']): {
  readonly said: string;
  readonly annotations: z.infer<typeof urlAnnotation>[];
} {
  let said = '';
  const annotations = made.filter(isAnswer).flatMap((item) => {
    const { text, shown } = citeText(textOf(item.content), item.citations, linkToSource);
    if (text === '') return [];
    const start = said === '' ? 0 : said.length + ANSWER_BREAK.length;
    said += said === '' ? text : ANSWER_BREAK + text;
    return shown.map((each) => renderCitation(each, start));
  });
  return { said, annotations };
}

const renderCitation = ({ start, end, source: { url, title } }: ShownCitation, offset: number) => ({
  type: 'url_citation' as const,
  url_citation: { url, title, start_index: offset + start, end_index: offset + end },
});

/** The id has the ids of the turn and the thread, like the id of a response. */
export const renderFields = ({ id, threadId, createdAt }: Turn, model: string) => ({
  id: `chatcmpl-${hexFromUuid(id)}${hexFromUuid(threadId)}`,
  created: Math.floor(createdAt.getTime() / 1000),
  model,
});

export const renderCall = ({ callId, name, arguments: json }: GatedCall): z.infer<typeof toolCall> => ({
  id: callId,
  type: 'function',
  function: { name, arguments: json },
});

export function finishOf({ turn, gate }: TurnReply): z.infer<typeof finishReason> {
  if (gate) return 'tool_calls';
  return turn.status === 'incomplete' ? 'length' : 'stop';
}

export function renderUsage(usage: Usage): ChatCompletion['usage'] {
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedInputTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  };
}
