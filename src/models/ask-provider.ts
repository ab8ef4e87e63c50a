import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import type { ToolCall } from '#domain/tool.ts';
import type { Usage } from '#domain/usage.ts';
import { estimateTokens } from './estimate-tokens.ts';
import { type ModelAnswer, ModelCallAborted, ModelFailure, type Prompt } from './model.ts';
import type { ModelProvider } from './model-route.ts';
import { toModelFailure } from './to-model-failure.ts';
import { toModelMessages } from './to-model-messages.ts';
import { toModelTools } from './to-model-tools.ts';

export type ProviderModel = {
  readonly provider: Exclude<ModelProvider, 'demo'>;
  readonly language: LanguageModelV4;
  readonly apiKey: string;
  readonly options: SharedV4ProviderOptions;
  readonly usageOf: (tokens: TokenCounts) => Usage;
};

/** What a call consumed; undefined when the provider did not say. */
export type TokenCounts = {
  readonly inputTokens: number | undefined;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number | undefined;
  readonly reasoningTokens: number;
};

type FinishPart = Extract<LanguageModelV4StreamPart, { type: 'finish' }>;

/** One step of a provider's model. Throws `ModelFailure`, `ModelCallAborted`, or what `onText` throws. */
export async function askProvider(
  model: ProviderModel,
  prompt: Prompt,
  onText: (delta: string) => void,
  signal: AbortSignal,
): Promise<ModelAnswer> {
  if (signal.aborted) throw new ModelCallAborted(signal.reason, null);
  const request = new AbortController();
  const call = createCall(model, prompt);
  const parts = readParts(call, toCallOptions(model, prompt, request.signal));

  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(new ModelCallAborted(signal.reason, call.estimate()));
  signal.addEventListener('abort', onAbort);
  try {
    return await Promise.race([readAnswer(call, parts, onText, signal), aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    // However we leave, nothing is left running.
    request.abort();
  }
}

type Call = ReturnType<typeof createCall>;

/** A call under way: what it has consumed so far can only be estimated, as usage is reported at the end. */
function createCall(model: ProviderModel, prompt: Prompt) {
  let pieces = 0;
  let characters = 0;
  return {
    model,
    /** The provider has accepted the prompt and answers. */
    accepted: false,
    /** Counts output of any kind: providers also bill reasoning and arguments that nobody reads. */
    countOutput(delta: string): void {
      pieces++;
      characters += delta.length;
    },
    estimate: (): Usage =>
      model.usageOf({
        inputTokens: Math.ceil(estimateTokens(prompt)),
        cachedInputTokens: 0,
        cacheWriteTokens: 0,
        // Most providers send a piece for every token, and some send several tokens at once.
        outputTokens: Math.max(pieces, Math.ceil(characters / 4)),
        reasoningTokens: 0,
      }),
  };
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
async function* readParts(call: Call, options: LanguageModelV4CallOptions): AsyncGenerator<LanguageModelV4StreamPart> {
  const { language, apiKey } = call.model;
  const failureOf = (error: unknown) => toModelFailure(error, apiKey, call.accepted ? call.estimate() : null);
  try {
    const { stream } = await language.doStream(options);
    call.accepted = true;
    // Not cancelled from here, which may take its time: the abort of the request ends it.
    for await (const part of stream.values({ preventCancel: true })) {
      if (part.type === 'error') throw failureOf(part.error);
      yield part;
    }
  } catch (error) {
    throw failureOf(error);
  }
}

async function readAnswer(
  call: Call,
  parts: AsyncIterable<LanguageModelV4StreamPart>,
  onText: (delta: string) => void,
  signal: AbortSignal,
): Promise<ModelAnswer> {
  const calls: ToolCall[] = [];
  let text = '';
  let finish: FinishPart | undefined;

  for await (const part of parts) {
    signal.throwIfAborted(); // the race is lost by then: nobody sees this error
    if (part.type === 'text-delta' && part.delta) {
      text += part.delta;
      call.countOutput(part.delta);
      onText(part.delta);
    }
    if (part.type === 'reasoning-delta' || part.type === 'tool-input-delta') call.countOutput(part.delta);
    if (part.type === 'tool-call') calls.push(toToolCall(part));
    if (part.type === 'finish') finish = part;
  }
  const tokens = tokensOf(finish);
  const isCounted = tokens.inputTokens !== undefined;
  return {
    text,
    calls,
    finish: finishOf(finish, () => (isCounted ? call.model.usageOf(tokens) : call.estimate())),
    usage: call.model.usageOf(tokens),
  };
}

function toToolCall(part: LanguageModelV4ToolCall): ToolCall {
  // Models write nothing at all for a tool without arguments.
  return { callId: part.toolCallId, name: part.toolName, arguments: part.input.trim() ? part.input : '{}' };
}

function finishOf(finish: FinishPart | undefined, consumed: () => Usage): ModelAnswer['finish'] {
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
      throw new ModelFailure('model_error', FILTERED, { usage: consumed() });
    case 'interrupted':
    case 'error':
    case undefined:
      throw new ModelFailure('model_error', BROKE_OFF, { usage: consumed(), remedy: 'ask-again' });
  }
}

const FILTERED = "The model's answer was stopped by its provider's content filter.";
const BROKE_OFF = 'The model broke off before it had finished.';

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
