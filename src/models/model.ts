import type { FailureDetails } from '#domain/failure/failure-details.ts';
import type { ContentPart, LoadedPart } from '#domain/thread/item.ts';
import type { OutputFormat } from '#domain/thread/output-format.ts';
import type { ReasoningDetail, Sampling } from '#domain/thread/sampling.ts';
import type { ProviderData, ReasoningSummary, Thought, Thoughts } from '#domain/thread/thoughts.ts';
import type { ToolCall, ToolDefinition } from '#domain/tool/tool.ts';
import type { Usage } from '#domain/usage.ts';
import type { ContextSize } from './context-size.ts';

/** A language model. One `ask` is one step: tools are described to the model, never run by it. */
export type Model = {
  readonly provider: string;
  readonly name: string;
  readonly contextSize: ContextSize;
  /** What it can look at besides text; null or left out when that is unknown. */
  readonly reads?: readonly ('image' | 'pdf')[] | null;
  /**
   * Calls `onText` with each piece of text as it arrives, and `onReasoning` before the first piece, if the prompt asks for a
   * summary and the model gives one. Throws `ModelFailure`, or `ModelCallAborted`.
   */
  ask(prompt: Prompt, onText: OnText, signal: AbortSignal, onReasoning?: OnReasoning): Promise<ModelAnswer>;
};

export type OnText = (delta: string) => void;
export type OnReasoning = (summary: ReasoningSummary) => void;

/** What a model is asked. Before its attachments are loaded, it has all kinds of `Part`. */
export type Prompt<Part extends ContentPart = LoadedPart> = {
  readonly system: string;
  readonly messages: readonly PromptMessage<Part>[];
  readonly tools: readonly ToolDefinition[];
  /** Whether the model must call one of `tools`. */
  readonly mustCall?: boolean;
  readonly temperature: number | null;
  readonly sampling?: Sampling;
  readonly reasoningDetail?: ReasoningDetail;
  /** The header that continues the caller's trace at the provider. */
  readonly traceparent?: string;
  /** The form of an answer without calls; absent for prose. */
  readonly format?: OutputFormat;
};

export type PromptMessage<Part extends ContentPart = LoadedPart> =
  | { readonly role: 'user' | 'system'; readonly content: readonly Part[] }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly PromptCall[] }
  | {
      readonly role: 'tool';
      readonly callId: string;
      readonly name: string;
      readonly output: readonly Part[];
    };

/** A call, with what the model thought before it if that model is to get it back. */
export type PromptCall = ToolCall & { readonly thoughts?: Thoughts };

export type ModelAnswer = {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  /** `length`: the model's own limit cut the answer short. */
  readonly finish: 'stop' | 'length';
  readonly usage: Usage;
  /** Pages that the provider has searched or read by itself, and cites. No one has checked them here. */
  readonly sources?: readonly ProviderSource[];
  readonly thoughts?: AnswerThoughts;
  /** Summaries of the reasoning before the text, and of the reasoning between the text and the calls. */
  readonly reasoning?: { readonly beforeText: ReasoningSummary; readonly beforeCalls: ReasoningSummary };
};

export type ProviderSource = { readonly url: string; readonly title: string };

/** What a model thought during an answer, and what its provider attached to the calls, by their ids. */
export type AnswerThoughts = {
  readonly parts: readonly Thought[];
  readonly calls: ReadonlyMap<string, ProviderData>;
};

/** The model could not be called, or its answer broke off. The message is safe for the caller: no keys, bodies or stacks. */
export class ModelFailure extends Error {
  override readonly name = 'ModelFailure';
  readonly code: 'model_error' | 'model_not_configured';
  /** Whether the prompt was longer than the model's context. */
  readonly tooLong: boolean;
  /** The tokens used despite the failure, estimated if the provider reported none; null for none. */
  readonly usage: Usage | null;
  readonly remedy: Remedy;
  /** How long the provider asks to wait. */
  readonly retryAfterMs: number;
  /** The status of the provider's answer, if there was one. */
  readonly status: number | undefined;
  readonly details: FailureDetails | undefined;

  constructor(code: ModelFailure['code'], message: string, options: ModelFailureOptions = {}) {
    super(message, options);
    this.code = code;
    this.tooLong = options.tooLong ?? false;
    this.usage = options.usage ?? null;
    this.remedy = options.remedy ?? 'none';
    this.retryAfterMs = options.retryAfterMs ?? 0;
    this.status = options.status;
    this.details = options.details;
  }
}

/**
 * What can help after a failure. `ask-again`: the same model may answer the next time. `ask-another`: this model can't be
 * used as configured, but another one may. `none`: the request itself is at fault.
 */
export type Remedy = 'ask-again' | 'ask-another' | 'none';

type ModelFailureOptions = ErrorOptions & {
  readonly tooLong?: boolean;
  readonly usage?: Usage | null;
  readonly remedy?: Remedy;
  readonly retryAfterMs?: number;
  readonly status?: number | undefined;
  readonly details?: FailureDetails | undefined;
};

/** The caller's signal aborted the call; its reason is the `cause`. */
export class ModelCallAborted extends Error {
  override readonly name = 'ModelCallAborted';
  /** An estimate: providers also bill aborted calls, and report no usage for them. */
  readonly usage: Usage | null;

  constructor(cause: unknown, usage: Usage | null) {
    super('The model call was aborted.', { cause });
    this.usage = usage;
  }
}
