import { isObject } from '#domain/is-object.ts';
import { cut } from '#domain/text/cut.ts';
import { untrustedIn } from '#domain/text/untrusted.ts';
import { type LoadedPart, textOf } from '#domain/thread/item.ts';
import type { ToolDefinition } from '#domain/tool/tool.ts';
import type { Prompt, PromptMessage } from '../model.ts';

export type Result = Extract<PromptMessage, { role: 'tool' }>;

/** What the demo model answers: the newest message, and what its calls have given since. */
export type Scene = {
  readonly said: string;
  readonly content: readonly LoadedPart[];
  readonly results: readonly Result[];
  readonly tools: readonly ToolDefinition[];
};

export type Call = { readonly name: string; readonly given: object };

/** Recognised by its words. The first page of the browser app offers these sentences, in its languages. */
export type Script = {
  readonly asks: readonly { readonly language: Language; readonly words: RegExp }[];
  /** The next call, or the answer. `found`: what the words have captured. */
  readonly next: (scene: Scene, found: Found) => string | Call;
};

export type Found = { readonly language: Language; readonly groups: readonly string[] };
export type Language = 'en' | 'de' | 'nb';

export function sceneOf({ messages, tools }: Pick<Prompt, 'messages' | 'tools'>): Scene {
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const message = messages[at];
  const content = message?.role === 'user' ? message.content : [];
  const results = messages.slice(at + 1).filter((each) => each.role === 'tool');
  return { said: userText(textOf(content)), content, results, tools };
}

/** The user's text, without the blocks that the service puts in front of it. */
export function userText(text: string): string {
  return text
    .replace(/^\s*<instructions>.*?<\/instructions>/s, '')
    .replace(/^\s*<user-context>.*?<\/user-context>/s, '')
    .trim();
}

export const findTool = ({ tools }: Pick<Scene, 'tools'>, name: string): ToolDefinition | undefined =>
  tools.find((tool) => tool.name === name);

export const wordsOfResult = ({ output }: Result): string => untrustedIn(textOf(output)) || textOf(output);

/** The result as an object; undefined for an error, and for what is not JSON. */
export function fieldsOf(result: Result): Readonly<Record<string, unknown>> | undefined {
  try {
    const parsed: unknown = JSON.parse(wordsOfResult(result));
    return isObject(parsed) && parsed['error'] === undefined ? parsed : undefined;
  } catch {
    return undefined;
  }
}

export const describeResult = (result: Result): string =>
  `The tool ${result.name} answered: ${cut(wordsOfResult(result), 500) || '(nothing in words)'}`;

export const isDenied = (result: Result): boolean => wordsOfResult(result).startsWith('Not run: denied.');
