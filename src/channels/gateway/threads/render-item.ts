import type { z } from 'zod';
import type { ContentPart, NewItem, TimedItem } from '#domain/thread/item.ts';
import type { Usage } from '#domain/usage.ts';
import type { bareItem, wireItem, wirePart, wireUsage } from './wire-items.ts';

/** An item in its place. */
export function renderItem(item: TimedItem): z.infer<typeof wireItem> {
  const place = {
    turn_id: item.turnId,
    turn_seq: item.turnSeq,
    position: item.position,
    attempt: item.attempt,
    usage: item.usage && renderUsage(item.usage),
    created_at: item.createdAt.toISOString(),
  };
  const bare = renderBareItem(item, item.threadId);
  if (bare.type !== 'function_call') return { ...place, ...bare };
  return {
    ...place,
    ...bare,
    started_at: item.startedAt?.toISOString() ?? null,
    ended_at: item.endedAt?.toISOString() ?? null,
  };
}

/** An item without its place; with `threadId` it stands in that thread, and its bytes can be fetched. */
export function renderBareItem(item: NewItem, threadId?: string): z.infer<typeof bareItem> {
  const parts = (content: readonly ContentPart[]) =>
    content.map((part, index) =>
      renderPart(part, threadId === undefined ? null : `/api/threads/${threadId}/items/${item.id}/parts/${index}`),
    );
  const { id } = item;
  switch (item.type) {
    case 'message':
      return { id, type: item.type, role: item.role, content: parts(item.content), status: item.status };
    case 'function_call': {
      const { type, callId, name, arguments: json, external } = item;
      return { id, type, call_id: callId, name, arguments: json, external };
    }
    case 'function_call_output':
      return { id, type: item.type, call_id: item.callId, output: parts(item.output) };
  }
}

function renderPart(part: ContentPart, url: string | null): z.infer<typeof wirePart> {
  if (part.type === 'text') return part;
  const attached = { media_type: part.mediaType, bytes: Buffer.byteLength(part.base64, 'base64'), url };
  return part.type === 'image'
    ? { type: part.type, ...attached }
    : { type: part.type, filename: part.filename, ...attached };
}

export function renderUsage(usage: Usage): z.infer<typeof wireUsage> {
  return {
    input_tokens: usage.inputTokens,
    cached_tokens: usage.cachedInputTokens,
    output_tokens: usage.outputTokens,
    reasoning_tokens: usage.reasoningTokens,
    cost_usd: usage.cost && decimal(usage.cost.inputUsd + usage.cost.outputUsd),
  };
}

/** Never in the exponent form that `String` would choose for small amounts. */
const decimal = (amount: number) => amount.toFixed(12).replace(/\.?0+$/, '');
