/** Which model to use, and where. A route may be incomplete: its model then fails and says what to set. */
export type ModelRoute = {
  readonly provider: ModelProvider;
  readonly name: string;
  readonly baseUrl?: string | undefined;
  readonly apiKey?: string | undefined;
  /** The context size, if the operator sets it. */
  readonly contextTokens?: number | undefined;
  /** The names of the routes to try, in this order, when this model fails; `default` is the default model. */
  readonly fallback?: readonly string[] | undefined;
};

export type ModelProvider = (typeof MODEL_PROVIDERS)[number];

export const MODEL_PROVIDERS = ['openai', 'anthropic', 'google', 'openai-compatible', 'demo'] as const;
