export const REASONING_EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;

export type ReasoningEffort = (typeof REASONING_EFFORTS)[number];

export const REASONING_DETAILS = ['auto', 'concise', 'detailed'] as const;

/** How much a caller wants to see of what the model thinks. */
export type ReasoningDetail = (typeof REASONING_DETAILS)[number];

/** How a model chooses its words and where it ends, besides the temperature. A model that does not know a setting ignores it. */
export type Sampling = {
  readonly topP?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly maxOutputTokens?: number;
  /** Texts that end an answer. They hold for every model: the answer is cut there. */
  readonly stopSequences?: readonly string[];
  readonly seed?: number;
  readonly reasoning?: ReasoningEffort;
};
