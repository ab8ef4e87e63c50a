import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';

export type PartListener = {
  /** The provider has accepted the prompt and is answering. */
  readonly onAccepted: () => void;
  readonly onPart: (part: LanguageModelV4StreamPart) => void;
};

/** Makes one call and passes its parts to the listener. Resolves when the answer is complete. */
export type ReadParts = (options: LanguageModelV4CallOptions, listener: PartListener) => Promise<void>;

/** Reads with an adapter of the AI SDK. */
export const readLanguage =
  (language: LanguageModelV4): ReadParts =>
  async (options, { onAccepted, onPart }) => {
    const { stream } = await language.doStream(options);
    onAccepted();
    // Not cancelled from here, which may take long: aborting the request ends it.
    for await (const part of stream.values({ preventCancel: true })) onPart(part);
  };
