import { EgressRefused } from './egress-failure.ts';

/** Refuses headers that could end the message early, and headers that only the connection's owner may set. */
export function checkHeaders(headers: Readonly<Record<string, string>>): void {
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (!TOKEN.test(name)) throw new EgressRefused(`${JSON.stringify(name)} is not a valid header name.`);
    if (isConnectionHeader(lower)) throw new EgressRefused(`The header ${name} is set for you. Leave it out.`);
    if (seen.has(lower)) throw new EgressRefused(`The header ${name} is sent twice. Send it once.`);
    if (!VALUE.test(value))
      throw new EgressRefused(
        `The value of ${name} contains a line break or another character that is not allowed in a header.`,
      );
    seen.add(lower);
  }
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;

/** Whether a header, its name in lower case, belongs to the connection and not to the caller. */
export const isConnectionHeader = (name: string): boolean =>
  CONNECTION_HEADERS.has(name) || /^(?:proxy|sec)-/.test(name);

const CONNECTION_HEADERS = new Set([
  'alt-used',
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
]);
