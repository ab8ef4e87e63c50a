import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { ProviderData, Thought } from '#domain/thread/thoughts.ts';
import type { AnswerThoughts } from '../model.ts';
import type { ModelProvider } from '../model-route.ts';

/** Collects what the model thinks during one answer, so that it gets it back with the results of its calls. */
export function createThoughtCollector(provider: ModelProvider) {
  const thoughts = new Map<string, Thought>();
  const calls = new Map<string, ProviderData>();

  return {
    read(part: LanguageModelV4StreamPart): void {
      if (part.type === 'tool-call' && !part.providerExecuted && part.providerMetadata)
        calls.set(part.toolCallId, part.providerMetadata);
      if (part.type !== 'reasoning-start' && part.type !== 'reasoning-delta' && part.type !== 'reasoning-end') return;
      const { text = '', data } = thoughts.get(part.id) ?? {};
      const added = part.type === 'reasoning-delta' ? part.delta : '';
      const all = { ...data, ...part.providerMetadata };
      thoughts.set(part.id, { text: text + added, ...(Object.keys(all).length > 0 && { data: all }) });
    },
    /** undefined when there is nothing to give back. Google attaches its data to the calls alone. */
    collected: (): AnswerThoughts | undefined =>
      thoughts.size > 0 || (provider === 'google' && calls.size > 0)
        ? { parts: [...thoughts.values()], calls }
        : undefined,
  };
}
