import { escapeInvisible, isExactly } from './exact-json.ts';

/** A price to the cent. An unknown price is a dash. */
export function formatCost(usd: string | number | null | undefined): string {
  if (usd === null || usd === undefined) return '–';
  const amount = Number(usd);
  if (amount === 0) return '$0.00';
  if (amount < 0.01) return '< $0.01';
  return `$${amount.toFixed(2)}`;
}

/** A moment as lists show it, `2026-03-01 12:00`, in this zone; the machine's when left out. */
export function formatMinute(at: string, zone?: string): string {
  const shown = new Date(at).toLocaleString('sv-SE', { dateStyle: 'short', timeStyle: 'short', timeZone: zone });
  return zone === undefined ? shown : `${shown} (${zone})`;
}

/** A number of things: `1 token`, `1,200 tokens`. */
export function formatCount(count: number, one: string): string {
  return `${count.toLocaleString('en')} ${one}${count === 1 ? '' : 's'}`;
}

/** A share of something: `12 %`. */
export const formatShare = (share: number): string =>
  share > 0 && share < 0.01 ? '< 1 %' : `${Math.round(share * 100)} %`;

/** A number of tokens in a short form: `1.2k`, `3.4M`. */
export function formatTokens(tokens: number): string {
  if (tokens >= 1_000_000) return `${(tokens / 1_000_000).toFixed(1)}M`;
  return tokens < 1000 ? `${tokens}` : `${(tokens / 1000).toFixed(tokens < 10_000 ? 1 : 0)}k`;
}

/** The arguments of a call in a few words: their values, or the whole JSON where a short form would mislead. */
export function outlineArguments(json: string): string {
  const plain = parseObject(json);
  return escapeInvisible(plain ? Object.values(plain).map(outlineValue).filter(Boolean).join(', ') : json);
}

function parseObject(json: string): object | undefined {
  try {
    const value: unknown = JSON.parse(json);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject && isExactly(json, value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function outlineValue(value: unknown): string {
  if (typeof value === 'string') return value.replace(/\s+/g, ' ').slice(0, 120);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return value.length === 1 ? '1 entry' : `${value.length} entries`;
  return value === null ? '' : '…';
}
