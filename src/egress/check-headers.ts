import { EgressRefused } from './egress-failure.ts';

/** Refuses headers that could end the message early, or that only the one who holds the connection may set. */
export function checkHeaders(headers: Readonly<Record<string, string>>): void {
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (!TOKEN.test(name)) throw new EgressRefused(`${JSON.stringify(name)} is not a header's name.`);
    if (isConnectionHeader(lower)) throw new EgressRefused(`The header ${name} is set for you. Leave it out.`);
    if (seen.has(lower)) throw new EgressRefused(`The header ${name} is there twice. Send it once.`);
    if (!VALUE.test(value))
      throw new EgressRefused(`The value of ${name} holds a line break or another character no header may have.`);
    seen.add(lower);
  }
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;

/** Whether a header, its name in lower case, belongs to the connection and not to the one who asks for a request. */
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
