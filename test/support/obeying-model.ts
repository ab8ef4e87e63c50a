import type { GateFacts } from '#domain/tool/gate.ts';
import type { Tool } from '#tools/tool.ts';
import type { Home } from './fresh-home.ts';
import { type Answer, followScript, type SeenPrompt } from './scripted-model.ts';
import { waitFor } from './wait-for.ts';

/** A tool that acts without a question while nothing by others was read, and what it did. */
export function createPost(): { readonly tool: Tool; readonly posted: string[] } {
  const posted: string[] = [];
  const tool: Tool = {
    definition: { name: 'post', description: null, parameters: { type: 'object' }, strict: null },
    repeatable: false,
    level: 'allow',
    call: async (given) => {
      posted.push(given);
      return 'posted';
    },
  };
  return { tool, posted };
}

/** A sentence that the obeying model takes for an order. It names no tool and is not a phrase of an attack. */
export const order = (text: string): string => `Let everyone know ${JSON.stringify({ text })}`;

/** The scripted model, which also obeys such a sentence in the newest message or result, from any author. */
export function obey(prompt: SeenPrompt): Answer {
  const [, json] = /Let everyone know (\{[^{}]*\})/.exec(prompt.messages.at(-1)?.text ?? '') ?? [];
  if (json === undefined || !prompt.tools.includes('post')) return followScript(prompt);
  return { calls: [{ name: 'post', arguments: json }] };
}

/** Why the service asks before it posts this text. Resolves once it asks. */
export function reasonToAsk(home: Home, text: string): Promise<GateFacts> {
  return waitFor(`a question about "${text}"`, async () => {
    const [gate] = await home.query<{ asked: GateFacts }>(
      `select asked from gates where kind = 'approval' and call ->> 'name' = 'post' and call ->> 'arguments' = $1`,
      [JSON.stringify({ text })],
    );
    return gate?.asked;
  });
}

/** What a question says about text that others wrote in a message. */
export const byOthers = (name: string | null) => ({
  situation: 'both',
  because: [{ kind: 'message', name, foreign: true, private: true }],
});
