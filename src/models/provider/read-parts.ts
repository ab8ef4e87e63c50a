import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';

export type PartListener = {
  /** The provider has taken the prompt and answers. */
  readonly onAccepted: () => void;
  readonly onPart: (part: LanguageModelV4StreamPart) => void;
};

/** Makes one call and tells its listener what comes. Resolves when the answer is complete. */
export type ReadParts = (options: LanguageModelV4CallOptions, listener: PartListener) => Promise<void>;

/** Reads as an adapter of the AI SDK does. */
export const readLanguage =
  (language: LanguageModelV4): ReadParts =>
  async (options, { onAccepted, onPart }) => {
    const { stream } = await language.doStream(options);
    onAccepted();
    // Not cancelled from here, which may take its time: the abort of the request ends it.
    for await (const part of stream.values({ preventCancel: true })) onPart(part);
  };
