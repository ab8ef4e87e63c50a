import type { Routes as ApiRoutes } from './api.ts';

/** Where the service is, and the credentials for it. */
export type Endpoint = {
  /** Without a slash at the end. Empty for the origin of the page. */
  readonly url: string;
  /** Sent as a bearer token. */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Subprotocols of the WebSocket. Browsers send a session key in them, because they cannot set headers. */
  readonly protocols?: readonly string[];
};

/** Called before each request, because a restarted service can have another address. */
export type Locate = () => Endpoint | undefined | Promise<Endpoint | undefined>;

export type ClientOptions = {
  readonly fetch?: typeof fetch;
  /** Aborts every call of this client. */
  readonly signal?: AbortSignal;
  /** Error messages by status, for responses without a message; 0 is for a service that does not answer. */
  readonly messages?: Readonly<Record<number, string>>;
};

export type Client = {
  /** Calls a route, such as `GET /api/threads/{id}`, and returns its result. Every failure is an `ApiError`. */
  call<R extends Route>(route: R, ...options: CallArguments<R>): Promise<Result<R>>;
  /** Gets any path of the service with the same credentials. For files and other content that is not JSON. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
};

/** All routes: the API, and the ones outside it for browsers and health checks. */
export type Routes = ApiRoutes & {
  'POST /login': {
    body:
      | { readonly token: string }
      | { readonly code: string }
      | { readonly invitation: string; readonly name: string };
    result: { readonly session_key: string };
  };
  'POST /logout': { result: undefined };
  'GET /healthz': { result: { readonly status: 'ok'; readonly replica: string } };
};

export type Route = keyof Routes;
export type Result<R extends Route> = Routes[R]['result'];

export type CallOptions<R extends Route> = Omit<Routes[R], 'result' | 'query'> &
  QueryOf<Routes[R]> & {
    readonly signal?: AbortSignal | undefined;
    /** Lets the service recognize a repeated request. */
    readonly idempotencyKey?: string;
  };

/** Undefined and empty values are left out of the query. */
type QueryOf<T> = T extends { query?: infer Q }
  ? { readonly query?: { readonly [K in keyof Q]: Q[K] | undefined } }
  : object;

type CallArguments<R extends Route> =
  Partial<CallOptions<R>> extends CallOptions<R> ? [options?: CallOptions<R>] : [options: CallOptions<R>];

type AnyOptions = {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  readonly idempotencyKey?: string;
};

/** A client for the service at `endpoint`. It keeps no connection open and has nothing to close. */
export function createClient(endpoint: Endpoint | Locate, options: ClientOptions = {}): Client {
  const { messages = {} } = options;

  async function request(path: string, init: RequestInit): Promise<Response> {
    const at = typeof endpoint === 'function' ? await endpoint() : endpoint;
    if (!at) throw unreachable();
    const headers = new Headers(at.headers);
    if (at.token !== undefined) headers.set('authorization', `Bearer ${at.token}`);
    for (const [name, value] of new Headers(init.headers)) headers.set(name, value);
    const send = options.fetch ?? globalThis.fetch;
    const signals = [init.signal, options.signal].filter((signal) => signal !== undefined && signal !== null);
    const signal = AbortSignal.any(signals);
    const response = await send(at.url + path, { ...init, headers, signal }).catch((cause: unknown) => {
      throw signal.aborted ? cause : unreachable(cause);
    });
    if (!response.ok) throw await readError(response, messages);
    return response;
  }

  const unreachable = (cause?: unknown) =>
    new ApiError({ status: 0, code: 'unreachable', message: messages[0] ?? 'The service does not answer.', cause });

  async function call(route: string, given: AnyOptions = {}): Promise<unknown> {
    const [method = 'GET', template = ''] = route.split(' ');
    const { params = {}, query = {}, body, signal, idempotencyKey } = given;
    const isBytes = body instanceof Blob || body instanceof Uint8Array;
    const response = await request(fillPath(template, params) + queryString(query), {
      method,
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': isBytes ? 'application/octet-stream' : 'application/json' }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      ...(body !== undefined && { body: isBytes ? (body as Blob) : JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    const text = await response.text().catch((cause: unknown) => {
      throw signal?.aborted || options.signal?.aborted ? cause : unreachable(cause);
    });
    return text === '' ? undefined : JSON.parse(text);
  }

  return { call: call as Client['call'], fetch: (path, init = {}) => request(path, init) };
}

/** The path of a route below the service's address, for `fetch`: pictures, files and archives are not JSON. */
export function pathOf<R extends Route>(route: R, ...[options]: CallArguments<R>): string {
  const { params = {}, query = {} } = (options ?? {}) as AnyOptions;
  return fillPath(route.slice(route.indexOf(' ') + 1), params) + queryString(query);
}

/** What a sentence for the code names, such as a provider or a limit. */
export type ErrorValues = Readonly<Record<string, string | number>>;

type ErrorFields = {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly param?: string;
  readonly values?: ErrorValues;
  readonly retryAfter?: number;
  readonly requestId?: string;
  readonly cause?: unknown;
};

/** The service refused a request or did not answer. The message is written for the person who made the request. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The HTTP status, or 0 if no response arrived. */
  readonly status: number;
  readonly code: string;
  /** The field of the request that is wrong. */
  readonly param: string | undefined;
  readonly values: ErrorValues;
  /** Seconds to wait before the next try. */
  readonly retryAfter: number | undefined;
  /** Identifies the request in the log of the service. */
  readonly requestId: string | undefined;

  constructor({ status, code, message, param, values = {}, retryAfter, requestId, cause }: ErrorFields) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
    this.code = code;
    this.param = param;
    this.values = values;
    this.retryAfter = retryAfter;
    this.requestId = requestId;
  }
}

function fillPath(template: string, params: Readonly<Record<string, string | number>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
}

function queryString(query: Readonly<Record<string, unknown>>): string {
  const filled = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  return filled.length === 0
    ? ''
    : `?${new URLSearchParams(filled.map(([name, value]) => [name, String(value)])).toString()}`;
}

/** Errors of the API are JSON; a refused token and a proxy answer with plain text. */
async function readError(response: Response, messages: Readonly<Record<number, string>>): Promise<ApiError> {
  const { status, headers } = response;
  const text = await response.text().catch(() => '');
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN);
  const requestId = headers.get('x-request-id');
  return new ApiError({
    status,
    code: CODES[status] ?? 'unknown',
    message: messages[status] ?? `The service answered ${status}: ${text.slice(0, 200)}`,
    ...(Number.isFinite(retryAfter) && { retryAfter }),
    ...(requestId !== null && { requestId }),
    ...errorIn(text),
  });
}

const CODES: Readonly<Record<number, string>> = { 401: 'unauthorized', 403: 'forbidden', 503: 'unavailable' };

type ErrorBody = {
  readonly error: {
    readonly message: string;
    readonly code?: string | null;
    readonly param?: string | null;
    readonly values?: ErrorValues;
  };
};

function errorIn(text: string): Partial<Pick<ErrorFields, 'message' | 'code' | 'param' | 'values'>> {
  try {
    const { message, code, param, values } = (JSON.parse(text) as ErrorBody).error;
    return { message, ...(code && { code }), ...(param && { param }), ...(values && { values }) };
  } catch {
    return {};
  }
}
