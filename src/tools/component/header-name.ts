import { CONNECTION_HEADERS } from '#egress/check-headers.ts';

/** Whether the host alone decides over this header: it frames, routes or redefines the request. */
export function isReservedHeader(name: string): boolean {
  return RESERVED.has(headerKey(name));
}

export function isHeaderName(name: string): boolean {
  return name.length <= 128 && /^[\w!#$%&'*+.^`|~-]+$/.test(name);
}

/** One line of printable ASCII: nothing that could end a header and begin another. */
export function isHeaderValue(value: string): boolean {
  return /^[\t\x20-\x7e]*$/.test(value);
}

/** Two names with the same key are one header to somebody: gateways read `X_Api_Key` as `X-Api-Key`. */
export function headerKey(name: string): string {
  return name.toLowerCase().replaceAll('_', '-');
}

const RESERVED = new Set([
  ...CONNECTION_HEADERS,
  'set-cookie',
  'via',
  // With these an allowed request would stand for another method or path.
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
  'x-original-url',
  'x-rewrite-url',
]);
