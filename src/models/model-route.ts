/** Which model to ask, and where. A route may lack what its provider needs: its model then says what to set. */
export type ModelRoute = {
  readonly provider: ModelProvider;
  readonly name: string;
  readonly baseUrl?: string | undefined;
  readonly apiKey?: string | undefined;
  /** How much the model can read, where the operator knows better. */
  readonly contextTokens?: number | undefined;
  /** The names of the routes that are asked, in this order, when this model fails; `default` is the default model. */
  readonly fallback?: readonly string[] | undefined;
};

export type ModelProvider = (typeof MODEL_PROVIDERS)[number];

export const MODEL_PROVIDERS = ['openai', 'anthropic', 'google', 'openai-compatible', 'demo'] as const;
