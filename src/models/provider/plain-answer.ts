import type { LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider';
import { jsonOf } from '#domain/text/json.ts';

/**
 * Reads the chunks of a streamed chat completion that contain text, reasoning or the finish. All other chunks are left to
 * the AI SDK's adapter, which knows how servers format tool calls, refusals and errors.
 */
export function createPlainAnswer(onPart: (part: LanguageModelV4StreamPart) => void) {
  let finish: 'stop' | 'length' | undefined;
  let counts: Counts | undefined;

  return {
    /** Whether the chunk was read. If not, nothing of it was emitted, and no later chunk may be read here. */
    read(data: string): boolean {
      if (data === '[DONE]') return true;
      const chunk = jsonOf(data);
      if (!isPlain(chunk)) return false; // the adapter reports what is wrong with it
      const [choice] = chunk.choices;
      counts = chunk.usage ?? counts;
      finish = choice?.finish_reason ?? finish;
      const { content, reasoning_content: reasoning = choice?.delta?.reasoning } = choice?.delta ?? {};
      if (reasoning) onPart({ type: 'reasoning-delta', id: 'reasoning', delta: reasoning });
      if (content) onPart({ type: 'text-delta', id: 'text', delta: content });
      return true;
    },

    /** What was read but not emitted yet, as a chunk for the adapter that takes over. */
    pending: (): string => JSON.stringify({ choices: [{ delta: {}, finish_reason: finish }], usage: counts }),

    end(): void {
      if (!finish) return;
      const usage = counts ? toUsage(counts) : NO_USAGE;
      onPart({ type: 'finish', finishReason: { unified: finish, raw: finish }, usage });
    },
  };
}

type PlainChunk = {
  readonly choices: readonly {
    readonly delta?: {
      readonly content?: string | null;
      readonly reasoning_content?: string | null;
      readonly reasoning?: string | null;
    } | null;
    readonly finish_reason?: 'stop' | 'length' | null;
  }[];
  readonly usage?: Counts | null;
};

type Counts = {
  readonly prompt_tokens?: number | null;
  readonly completion_tokens?: number | null;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number | null } | null;
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number | null } | null;
};

function isPlain(chunk: unknown): chunk is PlainChunk {
  if (!isObject(chunk) || 'error' in chunk || !Array.isArray(chunk['choices'])) return false;
  const choice: unknown = chunk['choices'][0];
  return isCounts(chunk['usage']) && (choice === undefined || isPlainChoice(choice));
}

function isPlainChoice(choice: unknown): boolean {
  if (!isObject(choice)) return false;
  const { finish_reason: finish, delta } = choice;
  if (finish !== undefined && finish !== null && finish !== 'stop' && finish !== 'length') return false;
  if (delta === undefined || delta === null) return true;
  if (!isObject(delta)) return false;
  for (const key in delta) {
    const value = delta[key];
    if (value === null) continue;
    if (!PLAIN_KEYS.has(key) || typeof value !== 'string') return false;
  }
  return true;
}

const PLAIN_KEYS = new Set(['role', 'content', 'reasoning_content', 'reasoning']);

function isCounts(usage: unknown): usage is Counts | null | undefined {
  if (usage === undefined || usage === null) return true;
  if (!isObject(usage)) return false;
  const { prompt_tokens_details: input, completion_tokens_details: output } = usage;
  return (
    isCount(usage['prompt_tokens']) &&
    isCount(usage['completion_tokens']) &&
    (isNothing(input) || (isObject(input) && isCount(input['cached_tokens']))) &&
    (isNothing(output) || (isObject(output) && isCount(output['reasoning_tokens'])))
  );
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const isNothing = (value: unknown) => value === undefined || value === null;
const isCount = (value: unknown) => isNothing(value) || typeof value === 'number';

function toUsage(counts: Counts): LanguageModelV4Usage {
  const input = counts.prompt_tokens ?? 0;
  const output = counts.completion_tokens ?? 0;
  const cached = counts.prompt_tokens_details?.cached_tokens ?? 0;
  const reasoning = counts.completion_tokens_details?.reasoning_tokens ?? 0;
  return {
    inputTokens: { total: input, noCache: input - cached, cacheRead: cached, cacheWrite: undefined },
    outputTokens: { total: output, text: Math.max(0, output - reasoning), reasoning },
  };
}

const NO_USAGE: LanguageModelV4Usage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};
