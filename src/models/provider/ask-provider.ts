import type {
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import type { OutputFormat } from '#domain/thread/output-format.ts';
import type { Sampling } from '#domain/thread/sampling.ts';
import type { ReasoningSummary } from '#domain/thread/thoughts.ts';
import type { ToolCall } from '#domain/tool/tool.ts';
import type { Usage } from '#domain/usage.ts';
import type { ModelInput } from '../describe-model.ts';
import { estimateTokens } from '../estimate-tokens.ts';
import {
  type ModelAnswer,
  ModelCallAborted,
  ModelFailure,
  type OnReasoning,
  type OnText,
  type Prompt,
  type ProviderSource,
} from '../model.ts';
import type { ModelProvider } from '../model-route.ts';
import { createReasoningCollector } from './collect-reasoning.ts';
import { createThoughtCollector } from './collect-thoughts.ts';
import type { ReadParts } from './read-parts.ts';
import { type KnownModel, toModelFailure } from './to-model-failure.ts';
import { toModelMessages, toModelTools } from './to-model-messages.ts';

export type ProviderModel = {
  readonly name: string;
  /** As failures name it. */
  readonly known: KnownModel;
  readonly provider: Exclude<ModelProvider, 'demo'>;
  readonly reads: readonly ModelInput[] | null;
  readonly read: ReadParts;
  readonly apiKey: string;
  readonly options: SharedV4ProviderOptions;
  readonly usageOf: (tokens: TokenCounts) => Usage;
};

/** The tokens a call used; undefined when the provider did not report them. */
export type TokenCounts = {
  readonly inputTokens: number | undefined;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number | undefined;
  readonly reasoningTokens: number;
};

type FinishPart = Extract<LanguageModelV4StreamPart, { type: 'finish' }>;

/** One step of a provider's model. Throws `ModelFailure`, `ModelCallAborted`, or the error of `onText`. */
export async function askProvider(
  model: ProviderModel,
  prompt: Prompt,
  onText: OnText,
  signal: AbortSignal,
  onReasoning: OnReasoning = () => {},
): Promise<ModelAnswer> {
  if (signal.aborted) throw new ModelCallAborted(signal.reason, null);
  const request = new AbortController();
  const call = createCall(model, prompt);
  const stopped = Promise.withResolvers<never>();
  const stop = (reason: unknown) => {
    call.stopped = true;
    stopped.reject(reason);
  };
  /** Calls the listener. Its errors are not the model's. */
  const guarded =
    <T>(listener: (heard: T) => void) =>
    (heard: T) => {
      try {
        listener(heard);
      } catch (error) {
        stop(error);
      }
    };
  const listener = { onText: guarded(onText), onReasoning: guarded(onReasoning) };
  const onAbort = () => stop(new ModelCallAborted(signal.reason, call.estimate()));
  signal.addEventListener('abort', onAbort);
  try {
    return await Promise.race([
      readAnswer(call, toCallOptions(model, prompt, request.signal), listener),
      stopped.promise,
    ]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    // Leaves nothing running. The reason is a constant, because the default one is created each time, with a stack.
    request.abort(OVER);
  }
}

const OVER = 'The call is over.';

type Call = ReturnType<typeof createCall>;

/** A call in progress. Its usage so far can only be estimated, because providers report usage at the end. */
function createCall(model: ProviderModel, prompt: Prompt) {
  let pieces = 0;
  let characters = 0;
  return {
    model,
    prompt,
    /** Whether the provider has accepted the prompt and is answering. */
    accepted: false,
    /** Whether the call is over: further output is dropped. */
    stopped: false,
    /** Counts all output: providers also bill reasoning and arguments. */
    countOutput(delta: string): void {
      pieces++;
      characters += delta.length;
    },
    estimate: (): Usage =>
      model.usageOf({
        inputTokens: Math.ceil(estimateTokens(prompt)),
        cachedInputTokens: 0,
        cacheWriteTokens: 0,
        // Most providers send one piece per token, and some send several tokens at once.
        outputTokens: Math.max(pieces, Math.ceil(characters / 4)),
        reasoningTokens: 0,
      }),
  };
}

function toCallOptions(model: ProviderModel, prompt: Prompt, abortSignal: AbortSignal): LanguageModelV4CallOptions {
  return {
    prompt: toModelMessages(prompt, model),
    ...(prompt.tools.length > 0 && {
      tools: toModelTools(prompt.tools),
      toolChoice: { type: prompt.mustCall ? 'required' : 'auto' },
    }),
    ...(prompt.temperature !== null && { temperature: prompt.temperature }),
    ...(prompt.sampling && toSamplingOptions(prompt.sampling)),
    ...(prompt.format && toFormatOptions(prompt.format)),
    providerOptions: providerOptionsFor(model, prompt),
    ...(prompt.traceparent !== undefined && { headers: { traceparent: prompt.traceparent } }),
    abortSignal,
  };
}

/** Some providers refuse a blank stop sequence. It is searched for anyway. */
function toSamplingOptions({ stopSequences, ...sampling }: Sampling): Partial<LanguageModelV4CallOptions> {
  const stops = stopSequences?.filter((stop) => stop.trim() !== '') ?? [];
  return { ...sampling, ...(stops.length > 0 && { stopSequences: stops }) };
}

function toFormatOptions(format: OutputFormat): Pick<LanguageModelV4CallOptions, 'responseFormat'> {
  if (format.type === 'json_object') return { responseFormat: { type: 'json' } };
  const { name, description, schema } = format;
  return { responseFormat: { type: 'json', name, schema, ...(description !== null && { description }) } };
}

/** The adapters ask for strict schemas by default, and providers refuse many schemas then. */
function providerOptionsFor({ options }: ProviderModel, { format, reasoningDetail }: Prompt): SharedV4ProviderOptions {
  const strict = format?.type === 'json_schema' ? { strictJsonSchema: format.strict ?? false } : {};
  const summary = reasoningDetail ? { reasoningSummary: reasoningDetail } : {};
  return { ...options, openai: { ...options['openai'], ...strict, ...summary }, compatible: strict };
}

/** Every error in here becomes a `ModelFailure`. */
async function readAnswer(
  call: Call,
  options: LanguageModelV4CallOptions,
  { onText, onReasoning }: { readonly onText: OnText; readonly onReasoning: OnReasoning },
): Promise<ModelAnswer> {
  const { provider, read, apiKey, known, usageOf } = call.model;
  const failureOf = (error: unknown) =>
    toModelFailure(error, { model: known, apiKey }, call.accepted ? call.estimate() : null);
  const calls: ToolCall[] = [];
  const sources: ProviderSource[] = [];
  // Compatible servers have no common form for it.
  const thoughts = provider === 'openai-compatible' ? undefined : createThoughtCollector(provider);
  const reasoning = call.prompt.reasoningDetail ? createReasoningCollector() : undefined;
  let beforeText: ReasoningSummary = [];
  let text = '';
  let finish: FinishPart | undefined;

  const onAccepted = () => void (call.accepted = true);
  const onPart = (part: LanguageModelV4StreamPart) => {
    if (call.stopped) return;
    if (part.type === 'text-delta' && part.delta) {
      if (text === '' && reasoning) onReasoning((beforeText = reasoning.take()));
      text += part.delta;
      call.countOutput(part.delta);
      onText(part.delta);
    }
    thoughts?.read(part);
    reasoning?.read(part);
    if (part.type === 'reasoning-delta' || part.type === 'tool-input-delta') call.countOutput(part.delta);
    // A call that the provider has executed itself is not ours to make. Only what it found is kept.
    if (part.type === 'tool-call' && !part.providerExecuted) calls.push(toToolCall(part));
    if (part.type === 'source' && part.sourceType === 'url') sources.push({ url: part.url, title: part.title ?? '' });
    if (part.type === 'finish') finish = part;
    if (part.type === 'error') throw failureOf(part.error);
  };
  try {
    await read(options, { onAccepted, onPart });
  } catch (error) {
    throw failureOf(error);
  }
  const tokens = tokensOf(finish);
  const consumed = () => (tokens.inputTokens === undefined ? call.estimate() : usageOf(tokens));
  const collected = thoughts?.collected();
  return {
    text,
    calls,
    finish: finishOf(finish, consumed, known),
    usage: usageOf(tokens),
    ...(sources.length > 0 && { sources }),
    ...(collected && { thoughts: collected }),
    ...(reasoning && { reasoning: { beforeText, beforeCalls: reasoning.take() } }),
  };
}

function toToolCall(part: LanguageModelV4ToolCall): ToolCall {
  // Models send nothing at all for a tool without arguments.
  return { callId: part.toolCallId, name: part.toolName, arguments: part.input.trim() ? part.input : '{}' };
}

function finishOf(finish: FinishPart | undefined, consumed: () => Usage, known: KnownModel): ModelAnswer['finish'] {
  switch (finish?.finishReason.unified) {
    case 'stop':
    case 'tool-calls':
    case 'other':
      return 'stop';
    case 'length':
      return 'length';
    case 'content-filter':
      // A model that declines in its own text has answered; a provider's content filter has cut the answer off.
      if (finish.finishReason.raw === undefined || finish.finishReason.raw === 'stop') return 'stop';
      throw new ModelFailure('model_error', FILTERED, {
        usage: consumed(),
        details: { code: 'model.filtered', values: { provider: known.provider } },
      });
    case 'interrupted':
    case 'error':
    case undefined:
      throw new ModelFailure('model_error', BROKE_OFF, {
        usage: consumed(),
        remedy: 'ask-again',
        details: { code: 'model.broke_off', values: { model: known.name } },
      });
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
