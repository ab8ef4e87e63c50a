import type { Egress } from '#egress/egress.ts';
import { EgressFailed, EgressRefused } from '#egress/egress-failure.ts';
import { type Challenge, parseChallenge } from '../auth/discover-oauth.ts';
import { McpFailure } from './mcp-failure.ts';

/** Where a server is, and how requests to it are authorized. */
export type McpEndpoint = {
  readonly url: string;
  readonly privateNetwork: boolean;
  /** Sent to the server's origin only. */
  readonly headers: Readonly<Record<string, string>>;
  /** Of a server that users sign in to. */
  readonly tokens?: McpTokens | undefined;
  /** Of a server that is started as a program; its headers are then variables. */
  readonly program?: McpProgram | undefined;
};

export type McpProgram = { readonly key: string; readonly command: readonly string[] };

/** The access tokens of one user for one server. Undefined: the user must sign in. */
export type McpTokens = {
  /** Renewed if it expires soon. */
  current(): Promise<string | undefined>;
  /** After the server has refused a token. */
  renew(refused: string): Promise<string | undefined>;
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
  { url, privateNetwork, headers, tokens }: McpEndpoint,
  { egress, timeoutMs }: { readonly egress: Pick<Egress, 'send'>; readonly timeoutMs: number },
): McpFetch {
  const { origin, port } = new URL(url);
  const endsAt = performance.now() + timeoutMs;
  const hasOwnKey = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  const notifications = new Set<Promise<unknown>>();
  let requests = 0;
  let received = 0;

  function count(bytes: number): void {
    received += bytes;
    if (received > MAX_BYTES) throw new EgressFailed(`The server sent more than ${MAX_BYTES / 1024 / 1024} MiB.`);
  }

  /** A request that is refused with 401 has not been acted on, so it is sent again with a new token, once. */
  async function sendSignedIn(target: URL, init: RequestInit): Promise<Response> {
    const token = await tokens?.current();
    if (tokens && token === undefined) throw signInNeeded();
    const answer = await send(target, init, token);
    if (answer.status === 403) return explainScope(answer);
    if (answer.status !== 401) return answer;
    const challenge = parseChallenge(answer.headers.get('www-authenticate'));
    if (token === undefined) {
      if (challenge && !hasOwnKey) throw signInNeeded(challenge);
      return answer;
    }
    const renewed = await tokens?.renew(token);
    if (renewed === undefined) throw signInNeeded(challenge);
    return send(target, init, renewed);
  }

  async function send(target: URL, init: RequestInit, token: string | undefined): Promise<Response> {
    if (target.origin !== origin)
      throw new EgressRefused('The server redirects to another host, which is not allowed.');
    if (++requests > MAX_REQUESTS)
      throw new McpFailure('refused', `The server needs more than ${MAX_REQUESTS} requests.`);
    const answer = await egress.send({
      method: init.method ?? 'GET',
      url: target,
      namedPort: port === '' ? undefined : Number(port),
      privateOrigin: privateNetwork ? origin : undefined,
      headers: {
        ...Object.fromEntries(new Headers(init.headers)),
        ...headers,
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
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
      const answer = sendSignedIn(new URL(target), init);
      if (isNotification(init.body)) {
        const done = answer.catch(() => {}).finally(() => notifications.delete(done));
        notifications.add(done);
      }
      return answer;
    },
    notified: () => Promise.all(notifications),
  };
}

const signInNeeded = (challenge?: Challenge) =>
  new McpFailure('sign-in', 'The server asks for a sign-in.', challenge && { challenge });

function explainScope(answer: Response): Response {
  const challenge = parseChallenge(answer.headers.get('www-authenticate'));
  if (challenge?.error !== 'insufficient_scope') return answer;
  const scopes = challenge.scopes.join(' ') || 'others';
  throw new McpFailure('refused', `The sign-in does not cover this. The server wants these scopes: ${scopes}.`);
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
