import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { ReasoningSummary } from '#domain/thread/thoughts.ts';

/** Collects the text of a model's reasoning. */
export function createReasoningCollector() {
  const parts = new Map<string, string>();

  return {
    read(part: LanguageModelV4StreamPart): void {
      if (part.type === 'reasoning-delta') parts.set(part.id, (parts.get(part.id) ?? '') + part.delta);
    },
    /** What was collected since the last call. */
    take(): ReasoningSummary {
      const texts = [...parts.values()].filter((text) => text.trim() !== '');
      parts.clear();
      return texts;
    },
  };
}
