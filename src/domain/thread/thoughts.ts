/**
 * What a model thought before it made a call. Only the model that thought it can read the opaque part, and some providers
 * refuse the result of the call without it.
 */
export type Thoughts = {
  readonly provider: string;
  readonly model: string;
  readonly parts: readonly Thought[];
  /** What the provider attached to the call itself. */
  readonly call?: ProviderData;
};

/** What a model thought before an item, in parts, for a caller who asked to see it. No model reads it again. */
export type ReasoningSummary = readonly string[];

export type Thought = { readonly text: string; readonly data?: ProviderData };

/** Opaque JSON of a provider. */
export type ProviderData = Readonly<Record<string, unknown>>;
