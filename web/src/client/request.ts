import { sessionKey } from './session-key.ts';

/** The service refused a request, or could not be reached (status 0). The message is for the person. */
export class RequestFailed extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = 'RequestFailed';
    this.status = status;
    this.code = code;
  }
}

export type RequestOptions = {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly body?: object;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
};

/** Asks the gateway for JSON. Every failure is a RequestFailed, except that of a request that was given up. */
export async function request<T>(
  path: string,
  { method = 'GET', body, headers, signal }: RequestOptions = {},
): Promise<T> {
  const response = await fetch(path, {
    method,
    headers: {
      accept: 'application/json',
      ...(body && { 'content-type': 'application/json' }),
      ...sessionKey.headers(),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new RequestFailed(
      0,
      'unreachable',
      'The service cannot be reached. Check that it is running; this page tries again by itself.',
    );
  });
  const text = await response.text();
  if (!response.ok) throw failureOf(response.status, text);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

/** A file of the gateway, as an address that pages and downloads can use; revoke it when it is no longer needed. */
export async function requestFile(path: string): Promise<{ readonly url: string; readonly name: string | undefined }> {
  const response = await fetch(path, { headers: sessionKey.headers() });
  if (!response.ok) throw failureOf(response.status, await response.text());
  const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1];
  return { url: URL.createObjectURL(await response.blob()), name };
}

/** Saves a file of the gateway on the person's machine. */
export async function download(path: string, name?: string): Promise<void> {
  const file = await requestFile(path);
  const link = document.createElement('a');
  link.href = file.url;
  link.download = name ?? file.name ?? '';
  link.click();
  setTimeout(() => URL.revokeObjectURL(file.url), 60_000);
}

/** The query part of an address, without what is empty. */
export function query(values: Record<string, string | number | boolean | undefined>): string {
  const filled = Object.entries(values).filter(([, value]) => value !== undefined && value !== '');
  return filled.length === 0 ? '' : `?${new URLSearchParams(filled.map(([key, value]) => [key, String(value)]))}`;
}

function failureOf(status: number, text: string): RequestFailed {
  try {
    const { error } = JSON.parse(text) as { error: { message: string; code: string | null } };
    return new RequestFailed(status, error.code ?? 'unknown', error.message);
  } catch {
    return new RequestFailed(status, PLAIN_CODES[status] ?? 'unknown', PLAIN_MESSAGES[status] ?? text.slice(0, 200));
  }
}

const PLAIN_CODES: Record<number, string> = { 401: 'signed_out', 403: 'forbidden', 503: 'unavailable' };

const PLAIN_MESSAGES: Record<number, string> = {
  401: 'You are signed out. Sign in to go on.',
  503: 'The database is away. Nothing is lost; try again in a moment.',
};
