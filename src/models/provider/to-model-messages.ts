import type {
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import { isObject } from '#domain/is-object.ts';
import { jsonOf } from '#domain/text/json.ts';
import { type LoadedPart, textOf } from '#domain/thread/item.ts';
import type { ProviderData } from '#domain/thread/thoughts.ts';
import type { ToolDefinition } from '#domain/tool/tool.ts';
import type { Prompt, PromptCall, PromptMessage } from '../model.ts';
import type { ModelProvider } from '../model-route.ts';
import { toObjectSchema } from './object-schema.ts';
import { picturesAfterResults, type Reader, toFilePart, toToolOutput } from './to-model-files.ts';

/** The prompt in the format of the AI SDK's providers, without parts that this provider would refuse. */
export function toModelMessages(prompt: Prompt, reader: Reader & { readonly name: string }): LanguageModelV4Prompt {
  const { provider } = reader;
  const firstSpoken = prompt.messages.findIndex((message) => message.role !== 'system');
  const leading = prompt.messages.slice(0, Math.max(firstSpoken, 0));
  const rest = prompt.messages.slice(leading.length);

  const instructions = [prompt.system, ...leading.map(systemText)].filter(isSaid).join('\n\n');
  const messages = joinToolResults(
    picturesAfterResults(rest, reader).flatMap((message) => toModelMessage(message, reader)),
  );
  const all: LanguageModelV4Prompt = instructions ? [{ role: 'system', content: instructions }, ...messages] : messages;
  return provider === 'anthropic' ? markForCache(all) : all;
}

/** The results of one answer's calls belong together: Google requires them in one message. */
function joinToolResults(messages: readonly LanguageModelV4Message[]): LanguageModelV4Message[] {
  const joined: LanguageModelV4Message[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (message.role === 'tool' && last?.role === 'tool') last.content.push(...message.content);
    else joined.push(message);
  }
  return joined;
}

/**
 * Anthropic caches a prompt up to a mark: one after the tools and instructions, which threads share, and one at the end,
 * where the next step of this thread continues.
 */
function markForCache(messages: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const providerOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } };
  return messages.map((message, index) =>
    message.role === 'system' || index === messages.length - 1 ? { ...message, providerOptions } : message,
  );
}

function toModelMessage(message: PromptMessage, reader: Reader & { readonly name: string }): LanguageModelV4Message[] {
  const { provider, name: model } = reader;
  switch (message.role) {
    case 'system':
      return toSystemMessage(systemText(message), provider);
    case 'user': {
      const content = message.content.filter(hasContent).map((part) => toUserPart(part, provider));
      return content.length > 0 ? [{ role: 'user', content }] : [];
    }
    case 'assistant': {
      const said = isSaid(message.text) ? [{ type: 'text' as const, text: message.text }] : [];
      const calls = message.calls.map((call) => withOwnThoughts(call, provider, model));
      const content = [...calls.flatMap(toThoughtParts), ...said, ...calls.map(toCallPart)];
      return content.length > 0 ? [{ role: 'assistant', content }] : [];
    }
    case 'tool': {
      const output = toToolOutput(message.output, reader);
      const result = { type: 'tool-result' as const, toolCallId: message.callId, toolName: message.name, output };
      return [{ role: 'tool', content: [result] }];
    }
  }
}

/**
 * Only OpenAI accepts a system message in the middle of a conversation: Google and most models of Anthropic refuse it, and
 * so do the chat templates of many compatible servers.
 */
function toSystemMessage(text: string, provider: ModelProvider): LanguageModelV4Message[] {
  if (!isSaid(text)) return [];
  if (provider === 'openai') return [{ role: 'system', content: text }];
  return [{ role: 'user', content: [{ type: 'text', text: `<system-message>\n${text}\n</system-message>` }] }];
}

function toUserPart(part: LoadedPart, provider: ModelProvider) {
  return part.type === 'text' ? { type: 'text' as const, text: part.text } : toFilePart(part, provider);
}

/** Another model can't read them. */
function withOwnThoughts(call: PromptCall, provider: ModelProvider, model: string): PromptCall {
  const { thoughts, ...bare } = call;
  return thoughts?.provider === provider && thoughts.model === model ? call : bare;
}

const toThoughtParts = ({ thoughts }: PromptCall) =>
  (thoughts?.parts ?? []).map(({ text, data }) => ({ type: 'reasoning' as const, text, ...toOptions(data) }));

/** A provider's data goes back exactly as it came. */
const toOptions = (data: ProviderData | undefined) =>
  data === undefined ? {} : { providerOptions: data as SharedV4ProviderOptions };

function toCallPart(call: PromptCall) {
  return {
    ...toOptions(call.thoughts?.call),
    type: 'tool-call' as const,
    toolCallId: call.callId,
    toolName: call.name,
    // A provider refuses a history if the arguments of a call are not an object.
    input: isObject(jsonOf(call.arguments)) ? call.arguments : { malformed_arguments: call.arguments },
  };
}

function systemText(message: PromptMessage): string {
  return message.role === 'system' ? textOf(message.content) : '';
}

const hasContent = (part: LoadedPart): boolean => part.type !== 'text' || isSaid(part.text);

const isSaid = (text: string): boolean => text.trim() !== '';

/** The tools as described to the model, which never runs them. */
export function toModelTools(definitions: readonly ToolDefinition[]): LanguageModelV4FunctionTool[] {
  return definitions.map((definition) => {
    const tool = modelTools.get(definition) ?? toModelTool(definition);
    modelTools.set(definition, tool);
    return tool;
  });
}

/** A definition never changes, so it is translated once. */
const modelTools = new WeakMap<ToolDefinition, LanguageModelV4FunctionTool>();

const toModelTool = ({ name, description, strict, parameters }: ToolDefinition): LanguageModelV4FunctionTool => ({
  type: 'function',
  name,
  ...(description !== null && { description }),
  ...(strict !== null && { strict }),
  inputSchema: toObjectSchema(parameters),
});
