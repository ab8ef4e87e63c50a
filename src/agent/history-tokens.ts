import type { ContentPart, Item, ItemBody } from '#domain/item.ts';
import type { Summary } from '#domain/summary.ts';
import type { Prompt, PromptMessage } from '#models/model.ts';

/** About how many tokens a prompt has, from its bytes. Tokenizers differ; `scaleFrom` learns by how much. */
export function estimateTokens({ system, messages, tools }: Prompt): number {
  const fixed = Buffer.byteLength(system) + Buffer.byteLength(JSON.stringify(tools));
  return fixed / BYTES_PER_TOKEN + messages.reduce((sum, message) => sum + messageTokens(message), 0);
}

export function itemTokens(item: ItemBody): number {
  switch (item.type) {
    case 'message':
      return PER_MESSAGE + contentTokens(item.content);
    case 'function_call':
      return PER_MESSAGE + textTokens(item.name) + textTokens(item.arguments);
    case 'function_call_output':
      return PER_MESSAGE + contentTokens(item.output);
  }
}

/**
 * How many real tokens one estimated token is, by the newest answer whose prompt can still be told: one that was given
 * since the summary was made. Never less than 1: who counts too low learns it from a refusal.
 */
export function scaleFrom(
  recent: readonly Item[],
  summary: Summary | null,
  estimate: (items: readonly Item[]) => number,
): number {
  const answer = recent.findLastIndex((item) => item.usage !== null && item.turnSeq > (summary?.turnSeq ?? 0));
  const counted = recent[answer]?.usage?.inputTokens ?? 0;
  if (counted === 0) return 1;
  return Math.min(MOST_SCALE, Math.max(1, counted / estimate(recent.slice(0, answer))));
}

const BYTES_PER_TOKEN = 4;
const PER_MESSAGE = 4;
const PER_IMAGE = 1600;
const MOST_SCALE = 4;

function messageTokens(message: PromptMessage): number {
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

const contentTokens = (content: readonly ContentPart[]) => content.reduce((sum, part) => sum + partTokens(part), 0);

/** Models count images by their area and documents by their pages, never by their bytes. */
function partTokens(part: ContentPart): number {
  if (part.type === 'text') return textTokens(part.text);
  if (part.type === 'image') return PER_IMAGE;
  const bytes = part.base64.length * 0.75;
  return part.mediaType.startsWith('text/') ? bytes / BYTES_PER_TOKEN : Math.max(PER_IMAGE, bytes / 40);
}

const textTokens = (value: string) => Buffer.byteLength(value) / BYTES_PER_TOKEN;
