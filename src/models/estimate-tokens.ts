import { isTextType } from '#domain/text/media-type.ts';
import { sizeOfPart } from '#domain/thread/attachment.ts';
import type { ContentPart } from '#domain/thread/item.ts';
import type { ToolDefinition } from '#domain/tool/tool.ts';
import type { Prompt, PromptMessage } from './model.ts';

/** Estimates the tokens of a prompt from its bytes. */
export function estimateTokens({ system, messages, tools }: Prompt<ContentPart>): number {
  const fixed = tools.reduce((sum, tool) => sum + bytesOf(tool), Buffer.byteLength(system));
  return fixed / BYTES_PER_TOKEN + messages.reduce((sum, message) => sum + messageTokens(message), 0);
}

const sizes = new WeakMap<ToolDefinition, number>();

/** A definition never changes, so it is measured once. */
function bytesOf(tool: ToolDefinition): number {
  const size = sizes.get(tool) ?? Buffer.byteLength(JSON.stringify(tool)) + 1;
  sizes.set(tool, size);
  return size;
}

export const PER_MESSAGE = 4;

const BYTES_PER_TOKEN = 4;
const PER_IMAGE = 1600;

export const contentTokens = (content: readonly ContentPart[]) =>
  content.reduce((sum, part) => sum + partTokens(part), 0);

export const textTokens = (value: string) => Buffer.byteLength(value) / BYTES_PER_TOKEN;

function messageTokens(message: PromptMessage<ContentPart>): number {
  switch (message.role) {
    case 'assistant':
      return message.calls.reduce(
        (sum, call) => sum + PER_MESSAGE + textTokens(call.name) + textTokens(call.arguments),
        PER_MESSAGE + textTokens(message.text),
      );
    case 'tool':
      return PER_MESSAGE + contentTokens(message.output);
    case 'user':
    case 'system':
      return PER_MESSAGE + contentTokens(message.content);
  }
}

/** Models count images by area and documents by pages, never by bytes. */
function partTokens(part: ContentPart): number {
  if (part.type === 'text') return textTokens(part.text);
  if (part.type === 'image') return PER_IMAGE;
  const bytes = sizeOfPart(part);
  return isTextType(part.mediaType) ? bytes / BYTES_PER_TOKEN : Math.max(PER_IMAGE, bytes / 40);
}
