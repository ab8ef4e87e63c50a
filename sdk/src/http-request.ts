import type { HostImports } from './tool-world.ts';
import { decodeUtf8, encodeUtf8 } from './utf8.ts';

export type HttpRequest = {
  /** GET by default. */
  readonly method?: string;
  readonly url: string;
  /** Appended to the URL, percent-encoded. Undefined values are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly timeoutMs?: number;
};

export type HttpResponse = {
  readonly status: number;
  readonly body: Uint8Array;
  readonly text: () => string;
  readonly json: () => unknown;
};

/** Waits for the reply; every status is a reply. Throws `HTTP request failed: …` if there is none. */
export function httpRequest(imports: HostImports, request: HttpRequest): HttpResponse {
  const { method = 'GET', headers = {}, body } = request;
  const bytes = typeof body === 'string' ? encodeUtf8(body) : body;
  const timeoutMs = checkTimeout(request.timeoutMs);
  const url = withQuery(request.url, request.query ?? {});
  try {
    return readable(imports.httpRequest(method, url, JSON.stringify(headers), bytes, timeoutMs));
  } catch (refusal) {
    // The engine throws an Error; a host without the engine throws the string of the world.
    const detail = refusal instanceof Error ? refusal.message : String(refusal);
    throw new Error(`HTTP request failed: ${detail}`, { cause: refusal });
  }
}

function withQuery(url: string, query: NonNullable<HttpRequest['query']>): string {
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${encode(name)}=${encode(String(value))}`);
  if (pairs.length === 0) return url.toWellFormed();

  return `${url.toWellFormed()}${url.includes('?') ? '&' : '?'}${pairs.join('&')}`;
}

/** A lone surrogate, which JSON can contain, has no encoding and becomes U+FFFD. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** The world's u32 would turn -1 into 49 days. */
function checkTimeout(timeoutMs: number | undefined): number | undefined {
  if (timeoutMs === undefined || (Number.isInteger(timeoutMs) && timeoutMs > 0 && timeoutMs < 2 ** 32))
    return timeoutMs;

  throw new Error(`timeoutMs is ${timeoutMs}. Use a whole number of milliseconds above 0.`);
}

function readable({ status, body }: { status: number; body: Uint8Array }): HttpResponse {
  return { status, body, text: () => decodeUtf8(body), json: () => parse(decodeUtf8(body)) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`The reply is not JSON: ${(error as Error).message}`, { cause: error });
  }
}
