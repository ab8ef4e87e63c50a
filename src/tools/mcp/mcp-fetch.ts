import { jsonOf } from '#domain/text/json.ts';
import type { Egress } from '#egress/egress.ts';
import { EgressFailed, EgressRefused } from '#egress/egress-failure.ts';
import type { EgressRequest } from '#egress/exchange.ts';
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
  /** Rejects when an answer that was read while it arrived has ended without a result. */
  readonly broken: Promise<never>;
  /** Resolves when the notifications that were sent so far have arrived or failed. */
  notified(): Promise<unknown>;
};

const MAX_REQUESTS = 40;
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_DEPTH = 64;

/** The requests of one client, and what they have used of its budget. */
type Traffic = {
  readonly endpoint: McpEndpoint;
  readonly egress: Pick<Egress, 'send'>;
  readonly endsAt: number;
  readonly breakOff: (error: unknown) => void;
  requests: number;
  received: number;
};

/** The network of one client: requests to one origin, through egress, within a budget for the client's whole life. */
export function createMcpFetch(
  endpoint: McpEndpoint,
  { egress, timeoutMs }: { readonly egress: Pick<Egress, 'send'>; readonly timeoutMs: number },
): McpFetch {
  const notifications = new Set<Promise<unknown>>();
  const { promise: broken, reject: breakOff } = Promise.withResolvers<never>();
  broken.catch(() => {});
  const endsAt = performance.now() + timeoutMs;
  const traffic: Traffic = { endpoint, egress, endsAt, breakOff, requests: 0, received: 0 };

  return {
    fetch(target, init = {}) {
      // The stream for messages of the server never ends.
      if ((init.method ?? 'GET') === 'GET') return Promise.resolve(new Response(null, { status: 405 }));
      const answer = sendSignedIn(traffic, new URL(target), init);
      if (isNotification(init.body)) {
        const done = answer.catch(() => {}).finally(() => notifications.delete(done));
        notifications.add(done);
      }
      return answer;
    },
    broken,
    notified: () => Promise.all(notifications),
  };
}

/** A request that is refused with 401 has not been acted on, so it is sent again with a new token, once. */
async function sendSignedIn(traffic: Traffic, target: URL, init: RequestInit): Promise<Response> {
  const { tokens, headers } = traffic.endpoint;
  const token = await tokens?.current();
  if (tokens && token === undefined) throw signInNeeded();
  const answer = await send(traffic, target, init, token);
  if (answer.status === 403) return explainScope(answer);
  if (answer.status !== 401) return answer;
  const challenge = parseChallenge(answer.headers.get('www-authenticate'));
  if (token === undefined) {
    const hasOwnKey = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
    if (challenge && !hasOwnKey) throw signInNeeded(challenge);
    return answer;
  }
  const renewed = await tokens?.renew(token);
  if (renewed === undefined) throw signInNeeded(challenge);
  return send(traffic, target, init, renewed);
}

/** An event stream is answered as soon as it begins, anything else when it is complete. */
async function send(traffic: Traffic, target: URL, init: RequestInit, token: string | undefined): Promise<Response> {
  const request = toRequest(traffic, target, init, token);
  const started = Promise.withResolvers<Response>();
  const isDeep = createDepthCheck();
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  const answered = traffic.egress.send({
    ...request,
    onHead({ status, headers: sent }) {
      if (status !== 200 || !sent['content-type']?.startsWith('text/event-stream')) return;
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => void (stream = controller),
        cancel: () => void (stream = undefined), // the client has what it wanted
      });
      started.resolve(new Response(body, { status, headers: sent }));
    },
    onChunk(bytes, chunk) {
      traffic.received += bytes;
      if (traffic.received > MAX_BYTES)
        throw new EgressFailed(`The server sent more than ${MAX_BYTES / 1024 / 1024} MiB.`);
      if (isDeep(chunk)) throw tooDeep();
      stream?.enqueue(Uint8Array.from(chunk));
    },
  });
  answered.then(
    ({ status, headers: sent, body }) => {
      stream?.close();
      if (stream && !hasResult(body, init.body)) traffic.breakOff(new McpFailure('unreachable', ENDED));
      const hasBody = ![204, 205, 304].includes(status);
      started.resolve(new Response(hasBody ? Buffer.from(body) : null, { status, headers: sent }));
    },
    (error: unknown) => {
      if (stream) traffic.breakOff(error);
      started.reject(error);
    },
  );
  return started.promise;
}

function toRequest(traffic: Traffic, target: URL, init: RequestInit, token: string | undefined): EgressRequest {
  const { url, privateNetwork, headers } = traffic.endpoint;
  const { origin, port } = new URL(url);
  if (target.origin !== origin) throw new EgressRefused('The server redirects to another host, which is not allowed.');
  if (++traffic.requests > MAX_REQUESTS)
    throw new McpFailure('refused', `The server needs more than ${MAX_REQUESTS} requests.`);
  return {
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
    timeoutMs: Math.max(1, Math.ceil(traffic.endsAt - performance.now())),
    maxResponseBytes: MAX_BYTES,
    ...(init.signal && { signal: init.signal }),
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

const ENDED = 'The server ended its answer without a result.';
const tooDeep = () => new McpFailure('refused', `The server's answer is nested too deeply.`);

/** Whether a stream of events has the result of the request that it answers. */
function hasResult(stream: Uint8Array, request: RequestInit['body']): boolean {
  const wanted = idOf(parse(typeof request === 'string' ? request : ''));
  if (wanted === undefined) return true;
  const lines = Buffer.from(stream).toString('utf8').split(/\r?\n/);
  return lines.some((line) => {
    const message = line.startsWith('data:') ? parse(line.slice('data:'.length)) : undefined;
    return idOf(message) === wanted && !Object.hasOwn(message ?? {}, 'method');
  });
}

function parse(json: string): object | undefined {
  const value = jsonOf(json);
  return typeof value === 'object' && value !== null ? value : undefined;
}

const idOf = (message: object | undefined) => (message && 'id' in message ? message.id : undefined);

export const isTooDeep = (json: Uint8Array): boolean => createDepthCheck()(json);

/** Counts on the bytes, before anything parses them. No string of JSON goes beyond its line. */
function createDepthCheck(): (piece: Uint8Array) => boolean {
  let depth = 0;
  let inString = false;
  let isEscaped = false;
  return (piece) => {
    for (const byte of piece) {
      if (byte === NEWLINE) inString = false;
      else if (inString && isEscaped) {
        isEscaped = false;
        continue;
      } else if (byte === QUOTE) inString = !inString;
      else if (!inString && (byte === BRACE || byte === BRACKET) && ++depth > MAX_DEPTH) return true;
      else if (!inString && (byte === BRACE_END || byte === BRACKET_END)) depth = Math.max(0, depth - 1);
      isEscaped = inString && byte === BACKSLASH;
    }
    return false;
  };
}

const [NEWLINE, QUOTE, BACKSLASH, BRACKET, BRACKET_END, BRACE, BRACE_END] = Buffer.from('\n"\\[]{}');
