import type { Egress } from '#egress/egress.ts';
import { EgressFailed, EgressRefused } from '#egress/egress-failure.ts';
import { McpFailure } from './mcp-failure.ts';

/** Where a server is, and how requests to it are authorized. */
export type McpEndpoint = {
  readonly url: string;
  readonly privateNetwork: boolean;
  /** Sent to the server's origin only. */
  readonly headers: Readonly<Record<string, string>>;
};

export type McpFetch = {
  fetch(url: string | URL, init?: RequestInit): Promise<Response>;
  /** Resolves when the notifications that were sent so far have arrived or failed. */
  notified(): Promise<unknown>;
};

const MAX_REQUESTS = 40;
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_DEPTH = 64;

/** The network of one client: requests to one origin, through egress, within a budget for the client's whole life. */
export function createMcpFetch(
  { url, privateNetwork, headers }: McpEndpoint,
  { egress, timeoutMs }: { readonly egress: Pick<Egress, 'send'>; readonly timeoutMs: number },
): McpFetch {
  const { origin, port } = new URL(url);
  const endsAt = performance.now() + timeoutMs;
  const notifications = new Set<Promise<unknown>>();
  let requests = 0;
  let received = 0;

  function count(bytes: number): void {
    received += bytes;
    if (received > MAX_BYTES) throw new EgressFailed(`The server sent more than ${MAX_BYTES / 1024 / 1024} MiB.`);
  }

  async function send(target: URL, init: RequestInit): Promise<Response> {
    if (target.origin !== origin)
      throw new EgressRefused('The server redirects to another host, which is not allowed.');
    if (++requests > MAX_REQUESTS)
      throw new McpFailure('refused', `The server needs more than ${MAX_REQUESTS} requests.`);
    const answer = await egress.send({
      method: init.method ?? 'GET',
      url: target,
      namedPort: port === '' ? undefined : Number(port),
      privateOrigin: privateNetwork ? origin : undefined,
      headers: { ...Object.fromEntries(new Headers(init.headers)), ...headers },
      ...(typeof init.body === 'string' && { body: init.body }),
      timeoutMs: Math.max(1, Math.ceil(endsAt - performance.now())),
      maxResponseBytes: MAX_BYTES,
      onChunk: count,
      ...(init.signal && { signal: init.signal }),
    });
    if (isTooDeep(answer.body)) throw new McpFailure('refused', `The server's answer is nested too deeply.`);
    const hasBody = ![204, 205, 304].includes(answer.status);
    return new Response(hasBody ? Buffer.from(answer.body) : null, { status: answer.status, headers: answer.headers });
  }

  return {
    fetch(target, init = {}) {
      // The stream for messages of the server never ends, and egress gathers whole answers.
      if ((init.method ?? 'GET') === 'GET') return Promise.resolve(new Response(null, { status: 405 }));
      const answer = send(new URL(target), init);
      if (isNotification(init.body)) {
        const done = answer.catch(() => {}).finally(() => notifications.delete(done));
        notifications.add(done);
      }
      return answer;
    },
    notified: () => Promise.all(notifications),
  };
}

const isNotification = (body: RequestInit['body']) =>
  typeof body === 'string' && body.includes('"method":"notifications/');

/** Counted on the bytes, before anything parses them. No string of JSON goes beyond its line. */
export function isTooDeep(json: Uint8Array): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === NEWLINE) inString = false;
    else if (inString && byte === BACKSLASH) at++;
    else if (byte === QUOTE) inString = !inString;
    else if (!inString && (byte === BRACE || byte === BRACKET) && ++depth > MAX_DEPTH) return true;
    else if (!inString && (byte === BRACE_END || byte === BRACKET_END)) depth = Math.max(0, depth - 1);
  }
  return false;
}

const [NEWLINE, QUOTE, BACKSLASH, BRACKET, BRACKET_END, BRACE, BRACE_END] = Buffer.from('\n"\\[]{}');
