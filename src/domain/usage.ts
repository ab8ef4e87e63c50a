/** The usage of one model call, or of all calls of a turn. */
export type Usage = {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  /** null when the price of any part is unknown: an unknown price is never 0. */
  readonly cost: Cost | null;
  /** The model of the call, or of the last call. */
  readonly model?: string;
};

export type Cost = { readonly inputUsd: number; readonly outputUsd: number };

export const NO_USAGE: Usage = {
  inputTokens: 0,
  cachedInputTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  cost: { inputUsd: 0, outputUsd: 0 },
};

/** `b` is the later usage. */
export function addUsage(a: Usage, b: Usage): Usage {
  const model = b.model ?? a.model;
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
    cost:
      a.cost && b.cost
        ? { inputUsd: a.cost.inputUsd + b.cost.inputUsd, outputUsd: a.cost.outputUsd + b.cost.outputUsd }
        : null,
    ...(model !== undefined && { model }),
  };
}

export const tokensOf = ({ inputTokens, outputTokens }: Usage): number => inputTokens + outputTokens;

/** An amount as a decimal; `String` would write small amounts with an exponent. */
export const renderUsd = (amount: number): string => amount.toFixed(12).replace(/\.?0+$/, '');
