import { isConnectionHeader } from '#egress/check-headers.ts';

/** Whether only the host sets this header, because it frames, routes or redefines the request. */
export function isReservedHeader(name: string): boolean {
  const key = headerKey(name);
  return isConnectionHeader(key) || RESERVED.has(key) || FORWARDED.test(key);
}

export function isHeaderName(name: string): boolean {
  return name.length <= 128 && /^[\w!#$%&'*+.^`|~-]+$/.test(name);
}

/** One line of printable ASCII: no character can end the header and start another one. */
export function isHeaderValue(value: string): boolean {
  return /^[\t\x20-\x7e]*$/.test(value);
}

/** Some servers treat names with the same key as one header: gateways read `X_Api_Key` as `X-Api-Key`. */
export function headerKey(name: string): string {
  return name.toLowerCase().replaceAll('_', '-');
}

const RESERVED = new Set([
  'cookie2',
  'set-cookie',
  'set-cookie2',
  // With these an allowed request would stand for another method, host or path.
  'x-host',
  'x-http-host-override',
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
  'x-original-host',
  'x-original-uri',
  'x-original-url',
  'x-override-url',
  'x-rewrite-uri',
  'x-rewrite-url',
  // With these it would seem to come from somewhere else.
  'cf-connecting-ip',
  'client-ip',
  'fastly-client-ip',
  'true-client-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-real-ip',
]);

/** `Forwarded`, and the family of `X-Forwarded-For`. */
const FORWARDED = /^(?:x-)?forwarded(?:-|$)/;
