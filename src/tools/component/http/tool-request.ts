import { isObject } from '#domain/is-object.ts';
import { jsonOf } from '#domain/text/json.ts';
import { METHODS, type Method } from '../capabilities/capabilities.ts';
import { isHeaderName, isHeaderValue, isReservedHeader } from '../capabilities/header-name.ts';
import { RequestRefused } from './tool-http-failure.ts';

/** What a tool hands over. */
export type ToolRequest = {
  readonly method: string;
  readonly url: string;
  /** A JSON object of strings. */
  readonly headers: string;
  readonly body?: Uint8Array;
  readonly timeoutMs?: number;
};

const MAX_URL_BYTES = 8 * 1024;
const MAX_HEADERS_BYTES = 16 * 1024;
const MAX_HEADERS = 64;
const MAX_BODY_BYTES = 1024 * 1024;

/** The method and headers of a request whose form and size are in order. */
export function parseToolRequest(request: ToolRequest): { method: Method; headers: Map<string, string> } {
  if (Buffer.byteLength(request.url) > MAX_URL_BYTES)
    throw new RequestRefused(`The URL is longer than ${MAX_URL_BYTES} bytes.`);

  if ((request.body?.byteLength ?? 0) > MAX_BODY_BYTES)
    throw new RequestRefused(`The request's body is larger than ${MAX_BODY_BYTES} bytes.`);

  if (request.timeoutMs !== undefined && !(request.timeoutMs > 0))
    throw new RequestRefused('The timeout must be more than 0 ms.');

  return { method: parseMethod(request.method), headers: parseHeaders(request.headers) };
}

function parseMethod(source: string): Method {
  const method = METHODS.find((known) => known === source.toUpperCase());
  if (!method) throw new RequestRefused(`The method must be one of ${METHODS.join(', ')}.`);
  return method;
}

function parseHeaders(source: string): Map<string, string> {
  if (Buffer.byteLength(source) > MAX_HEADERS_BYTES)
    throw new RequestRefused(`The headers are longer than ${MAX_HEADERS_BYTES} bytes.`);

  const entries = Object.entries(parseObject(source));
  if (entries.length > MAX_HEADERS) throw new RequestRefused(`There are more than ${MAX_HEADERS} headers.`);

  for (const [name, value] of entries) refuseHeader(name, value);
  const headers = new Map(entries.map(([name, value]) => [name.toLowerCase(), String(value)]));
  if (headers.size < entries.length) throw new RequestRefused('A header is there twice.');

  return headers;
}

function parseObject(source: string): object {
  const value = jsonOf(source || '{}');
  if (isObject(value)) return value;
  throw new RequestRefused('The headers must be a JSON object of strings, such as {"accept": "application/json"}.');
}

function refuseHeader(name: string, value: unknown): void {
  if (!isHeaderName(name)) throw new RequestRefused(`${JSON.stringify(name)} is not the name of a header.`);
  if (isReservedHeader(name)) throw new RequestRefused(`The header ${name} is not the tool's to set; leave it out.`);
  if (typeof value !== 'string' || !isHeaderValue(value))
    throw new RequestRefused(`The value of the header ${name} must be a string of printable ASCII.`);
}
