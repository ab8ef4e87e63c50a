import type { Egress } from '#egress/egress.ts';
import { EgressFailed, EgressRefused } from '#egress/egress-failure.ts';
import type { EgressAnswer, EgressRequest } from '#egress/exchange.ts';
import { createSecretGuard, type SecretGuard } from '#safety/secrets/secret-guard.ts';
import { GivenUp } from '#safety/worker-threads/worker-pool.ts';
import type { RateLimit, RateUse } from '#store/spending/rate-windows.ts';
import type { Capabilities } from '../capabilities/capabilities.ts';
import { getAllowedUrl } from './allowlist.ts';
import { addCredentials, type Secrets } from './credentials.ts';
import { loadSecrets } from './load-secrets.ts';
import { CredentialMissing, RequestFailed, RequestRefused } from './tool-http-failure.ts';
import { parseToolRequest, type ToolRequest } from './tool-request.ts';

/** The host's implementation of the imports, for one call of a tool. */
export type ToolHttp = {
  /** The messages of rejections are for the tool: they contain no secrets and no details of the internal network. */
  httpRequest(request: ToolRequest): Promise<{ status: number; body: Uint8Array }>;
  secretExists(name: string): boolean;
  /** The name of the first missing secret. The call has to wait for it. */
  missing(): string | undefined;
  /** The name of the secret that the tool tried to send. The tool gets no answers after that. */
  leaked(): string | undefined;
  /** The first internal error. The tool does not see it. */
  failure(): unknown;
};

export type ToolHttpOptions = {
  readonly toolName: string;
  readonly capabilities: Capabilities;
  readonly egress: Pick<Egress, 'send'>;
  /** Counts for all replicas. */
  readonly takeUse: (key: string, limit: RateLimit) => Promise<RateUse>;
  readonly secretFor: (name: string) => Promise<string | undefined>;
  readonly onWarning: (message: string) => void;
  /** The tool tried to send a secret. The call must end before the tool learns anything. */
  readonly onLeak: (secretName: string) => Promise<void>;
  readonly signal: AbortSignal;
  /** Continues the trace of the turn at the host that the tool asks. */
  readonly traceparent?: string | undefined;
};

const MAX_REQUESTS = 50;
const LEAKED = 'The request holds a secret that the tool must not have.';
const MAX_RESPONSE_BYTES = 10 * 1024 * 1024;

/** HTTP for one call of a tool. The secrets are read once, now, and never reach the tool. */
export async function createToolHttp(options: ToolHttpOptions): Promise<ToolHttp> {
  const { capabilities, onWarning } = options;
  const secrets = await loadSecrets(capabilities, options.secretFor);
  const guard = createSecretGuard(secrets.values, options.toolName);
  const state: CallState = { options, secrets, guard, requests: 0 };
  let hasWarned = false;

  return {
    async httpRequest(request) {
      try {
        return await makeRequest(state, request);
      } catch (error) {
        throw forTool(state, error);
      }
    },
    secretExists(name) {
      if (capabilities.secrets.allowedNames.includes(name)) return secrets.values.has(name);
      if (!hasWarned) onWarning(`The tool asked for a secret not in its secrets.allowed_names: ${quote(name)}`);
      hasWarned = true; // the number of requests must be bounded
      return false;
    },
    missing: () => state.missing,
    leaked: () => state.leaked,
    failure: () => state.failure,
  };
}

type CallState = {
  readonly options: ToolHttpOptions;
  readonly secrets: Secrets;
  readonly guard: SecretGuard;
  requests: number;
  missing?: string;
  leaked?: string;
  failure?: unknown;
};

async function makeRequest(state: CallState, request: ToolRequest): Promise<{ status: number; body: Uint8Array }> {
  const { options, secrets } = state;
  const { http } = options.capabilities;
  if (state.leaked !== undefined) throw new RequestRefused(LEAKED);
  if (++state.requests > MAX_REQUESTS)
    throw new RequestRefused(`A call may make ${MAX_REQUESTS} requests, and not one more.`);
  const { method, headers } = parseToolRequest(request);
  const url = getAllowedUrl(http.allowlist, method, request.url);
  await refuseKnownSecrets(state, request);
  await countRequest(options);

  headers.set('accept-encoding', 'identity'); // compressed data can't be searched for secrets
  if (options.traceparent !== undefined) headers.set('traceparent', options.traceparent);
  addCredentials({ url, headers }, http.credentials, secrets);

  const answer = await send(state, {
    method,
    url,
    headers: Object.fromEntries(headers),
    ...(request.body && { body: request.body }),
    timeoutMs: Math.min(request.timeoutMs ?? Number.POSITIVE_INFINITY, http.timeoutSecs * 1000),
    maxResponseBytes: MAX_RESPONSE_BYTES,
    signal: options.signal,
  });
  return { status: answer.status, body: await readBody(state, answer, url.hostname) };
}

/**
 * A tool can't know its secrets. If it does, one has leaked and goes no further, or the tool is guessing: each answer to
 * a guess would tell it more, so the first hit is the last answer it gets.
 */
async function refuseKnownSecrets(state: CallState, { url, headers, body }: ToolRequest): Promise<void> {
  const { onWarning, onLeak } = state.options;
  const name = await state.guard.findIn(url, headers, body ?? '');
  if (name === undefined) return;
  state.leaked ??= name;
  onWarning(`The tool tried to send the secret ${name} itself. It must have leaked: set a new one.`);
  await onLeak(name);
  throw new RequestRefused(LEAKED);
}

async function send(
  { options, guard }: CallState,
  request: EgressRequest & { readonly url: URL },
): Promise<EgressAnswer> {
  const { hostname } = request.url;
  const began = performance.now();
  try {
    return await options.egress.send(request);
  } catch (error) {
    if (options.signal.aborted) throw new RequestFailed('The call was stopped.');
    if (!(error instanceof EgressRefused || error instanceof EgressFailed)) throw error;

    // The message can quote the request, which now contains secrets.
    options.onWarning(`The request to ${hostname} failed: ${guard.scrub(error.message)}`);
    if (error instanceof EgressRefused)
      throw new RequestRefused(`${hostname} can't be reached: the host does not exist or is not public.`);
    if (performance.now() - began >= request.timeoutMs)
      throw new RequestFailed(`${hostname} did not answer within ${request.timeoutMs} ms.`);
    throw new RequestFailed(`${hostname} could not be reached, broke off, or answered with more than 10 MiB.`);
  }
}

async function readBody(
  { options, guard }: CallState,
  { headers, body }: EgressAnswer,
  hostname: string,
): Promise<Uint8Array> {
  const [, encoding = 'identity'] =
    Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-encoding') ?? [];
  if (encoding.toLowerCase() !== 'identity' && body.byteLength > 0)
    throw new RequestFailed(
      `${hostname} answered in ${JSON.stringify(encoding)} encoding, though it was asked for none.`,
    );

  const { bytes, found } = await guard.redact(body);
  if (found.length > 0)
    options.onWarning(
      `${hostname} answered with ${[...new Set(found)].join(', ')} (${found.length} times). It was redacted.`,
    );
  return bytes;
}

function forTool(state: CallState, error: unknown): Error {
  if (error instanceof RequestRefused || error instanceof RequestFailed) return error;
  if (error instanceof CredentialMissing) {
    state.missing ??= error.secretName;
    return error;
  }
  if (error instanceof GivenUp) return new RequestFailed('It took too long to look for secrets. Send or ask for less.');
  state.failure ??= error;
  return new RequestFailed('The host could not make the request. It is not the fault of the tool.');
}

/** The limit applies to the tool, over all users. */
async function countRequest({ toolName, capabilities, takeUse }: ToolHttpOptions): Promise<void> {
  const { requestsPerMinute, requestsPerHour } = capabilities.http.rateLimit;
  const windows = [
    { limit: requestsPerMinute, seconds: 60, name: 'a minute' },
    { limit: requestsPerHour, seconds: 3_600, name: 'an hour' },
  ];
  for (const { limit, seconds, name } of windows) {
    const { isAllowed, retryInSeconds } = await takeUse(`tool:${toolName}:${seconds}`, {
      limit,
      windowSeconds: seconds,
    });
    if (isAllowed) continue;
    const wait = Math.max(1, Math.ceil(retryInSeconds));
    throw new RequestRefused(`The tool may make ${limit} requests ${name}. Try again in ${wait} s.`);
  }
}

function quote(name: string): string {
  return JSON.stringify(name.slice(0, 64));
}
