import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import type { ToolCall } from '#domain/tool.ts';
import type { ModelAnswer, Prompt } from './model.ts';
import type { ModelProvider } from './model-route.ts';
import { toModelFailure } from './to-model-failure.ts';
import { toModelMessages } from './to-model-messages.ts';
import { toModelTools } from './to-model-tools.ts';

export type ProviderModel = {
  readonly provider: Exclude<ModelProvider, 'demo'>;
  readonly language: LanguageModelV4;
  readonly apiKey: string;
  readonly options: SharedV4ProviderOptions;
};

/** What a call consumed; undefined when the provider did not say. */
export type TokenCounts = {
  readonly inputTokens: number | undefined;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number | undefined;
  readonly reasoningTokens: number;
};

type Answer = Omit<ModelAnswer, 'usage'> & { readonly tokens: TokenCounts };
type FinishPart = Extract<LanguageModelV4StreamPart, { type: 'finish' }>;

/** The answer ended, but not as an answer should. What it consumed is to be paid for all the same. */
export class BrokenOff extends Error {
  override readonly name = 'BrokenOff';
  readonly tokens: TokenCounts;

  constructor(message: string, tokens: TokenCounts) {
    super(message);
    this.tokens = tokens;
  }
}

/** One step of a provider's model. Throws `ModelFailure`, `BrokenOff`, the signal's reason, or what `onText` throws. */
export async function askProvider(
  model: ProviderModel,
  prompt: Prompt,
  onText: (delta: string) => void,
  signal: AbortSignal,
): Promise<Answer> {
  signal.throwIfAborted();
  const request = new AbortController();
  const parts = readParts(model, toCallOptions(model, prompt, request.signal));

  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort);
  try {
    return await Promise.race([readAnswer(parts, onText, signal), aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    // However we leave, nothing is left running.
    request.abort();
  }
}

function toCallOptions(model: ProviderModel, prompt: Prompt, abortSignal: AbortSignal): LanguageModelV4CallOptions {
  return {
    prompt: toModelMessages(prompt, model.provider),
    ...(prompt.tools.length > 0 && { tools: toModelTools(prompt.tools), toolChoice: { type: 'auto' } }),
    ...(prompt.temperature !== null && { temperature: prompt.temperature }),
    providerOptions: model.options,
    abortSignal,
  };
}

/** The stream as the provider's object gives it. Whatever goes wrong in here is a `ModelFailure`. */
async function* readParts(
  model: ProviderModel,
  options: LanguageModelV4CallOptions,
): AsyncGenerator<LanguageModelV4StreamPart> {
  try {
    const { stream } = await model.language.doStream(options);
    // Not cancelled from here, which may take its time: the abort of the request ends it.
    for await (const part of stream.values({ preventCancel: true })) {
      if (part.type === 'error') throw toModelFailure(part.error, model.apiKey);
      yield part;
    }
  } catch (error) {
    throw toModelFailure(error, model.apiKey);
  }
}

async function readAnswer(
  parts: AsyncIterable<LanguageModelV4StreamPart>,
  onText: (delta: string) => void,
  signal: AbortSignal,
): Promise<Answer> {
  const calls: ToolCall[] = [];
  let text = '';
  let finish: FinishPart | undefined;

  for await (const part of parts) {
    signal.throwIfAborted();
    if (part.type === 'text-delta' && part.delta) {
      text += part.delta;
      onText(part.delta);
    }
    if (part.type === 'tool-call') calls.push(toToolCall(part));
    if (part.type === 'finish') finish = part;
  }
  return { text, calls, finish: finishOf(finish), tokens: tokensOf(finish) };
}

function toToolCall(part: LanguageModelV4ToolCall): ToolCall {
  // Models write nothing at all for a tool without arguments.
  return { callId: part.toolCallId, name: part.toolName, arguments: part.input.trim() ? part.input : '{}' };
}

function finishOf(finish: FinishPart | undefined): ModelAnswer['finish'] {
  switch (finish?.finishReason.unified) {
    case 'stop':
    case 'tool-calls':
    case 'other':
      return 'stop';
    case 'length':
      return 'length';
    case 'content-filter':
      // A model that declines in words has answered; a filter of its provider has cut the answer off.
      if (finish.finishReason.raw === undefined || finish.finishReason.raw === 'stop') return 'stop';
      throw new BrokenOff("The model's answer was stopped by its provider's content filter.", tokensOf(finish));
    case 'interrupted':
    case 'error':
    case undefined:
      throw new BrokenOff('The model broke off before it had finished.', tokensOf(finish));
  }
}

function tokensOf(finish: FinishPart | undefined): TokenCounts {
  const { inputTokens, outputTokens } = finish?.usage ?? {};
  return {
    inputTokens: inputTokens?.total,
    cachedInputTokens: inputTokens?.cacheRead ?? 0,
    cacheWriteTokens: inputTokens?.cacheWrite ?? 0,
    outputTokens: outputTokens?.total,
    reasoningTokens: outputTokens?.reasoning ?? 0,
  };
}
