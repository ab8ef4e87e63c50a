import type { ToolHost } from '@reborn-agent/tool/tool-host';

const HEADERS = { Accept: 'application/json', 'User-Agent': 'reborn-weather/1.0' };

/** A reply of Open-Meteo, of which every part may be missing. */
export type Reply = { readonly [name: string]: unknown };

export function askOpenMeteo(host: ToolHost, url: string, query: Record<string, string | number | undefined>): Reply {
  const response = host.httpRequest({ url, query, headers: HEADERS });
  if (response.status < 200 || response.status > 299)
    throw new Error(`API error (HTTP ${response.status}): ${response.text()}`);

  return toReply(response.json());
}

export function toReply(value: unknown): Reply {
  return typeof value === 'object' && value !== null ? (value as Reply) : {};
}

export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A number that the provider lacks is 0. */
export function toNumber(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

export function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
