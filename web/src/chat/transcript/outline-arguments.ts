import { parsePlain } from '#domain/tool/argument-shape.ts';
import { escapeInvisible } from '#domain/tool/exact-json.ts';

/** What a call is about in a few words: the values of its arguments, or all of it where a short form would mislead. */
export function outlineOf(json: string): string {
  const plain = parsePlain(json);
  return escapeInvisible(plain ? Object.values(plain).map(wordOf).filter(Boolean).join(', ') : json);
}

function wordOf(value: unknown): string {
  if (typeof value === 'string') return value.replace(/\s+/g, ' ').slice(0, 120);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `${value.length} entries`;
  return value === null ? '' : '…';
}
