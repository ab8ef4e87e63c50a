/** Which model to use, and where. A route may be incomplete: its model then fails and says what to set. */
export type ModelRoute = {
  readonly provider: ModelProvider;
  readonly name: string;
  readonly baseUrl?: string | undefined;
  readonly apiKey?: string | undefined;
  /** The context size, if the operator sets it. */
  readonly contextTokens?: number | undefined;
  /** What the model can read besides text, if the operator or the provider says so. */
  readonly reads?: readonly ('image' | 'pdf')[] | undefined;
  /** What it costs, if the operator has set a price. It overrides the known one. */
  readonly price?: ModelPrice | undefined;
  /** The names of the routes to try, in this order, when this model fails; `default` is the default model. */
  readonly fallback?: readonly string[] | undefined;
};

/** US dollars for a million tokens. */
export type ModelPrice = { readonly inputPerMillion: number; readonly outputPerMillion: number };

export type ModelProvider = (typeof MODEL_PROVIDERS)[number];

export const MODEL_PROVIDERS = ['openai', 'anthropic', 'google', 'openai-compatible', 'demo'] as const;

/** Providers with a public address, and the environment variable that usually holds their key. */
export const KEY_VARIABLES = {
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
  google: 'GOOGLE_GENERATIVE_AI_API_KEY',
} as const satisfies Partial<Record<ModelProvider, string>>;

export type PublicProvider = keyof typeof KEY_VARIABLES;

export const isPublicProvider = (name: string): name is PublicProvider => Object.hasOwn(KEY_VARIABLES, name);
