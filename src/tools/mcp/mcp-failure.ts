import { EgressFailed, EgressRefused } from '#egress/egress-failure.ts';
import { AuthFailure } from '../auth/auth-failure.ts';
import type { Challenge } from '../auth/discover-oauth.ts';
import { cleanText } from './clean-text.ts';

/** Why a server could not be used: it was not reached, it reported an error, or it wants a sign-in. */
export class McpFailure extends Error {
  override readonly name = 'McpFailure';
  readonly reason: 'unreachable' | 'refused' | 'sign-in';
  /** What the server said when it asked for a sign-in. Nothing ran. */
  readonly challenge: Challenge | undefined;

  constructor(
    reason: McpFailure['reason'],
    message: string,
    { challenge, ...options }: ErrorOptions & { readonly challenge?: Challenge } = {},
  ) {
    super(message, options);
    this.reason = reason;
    this.challenge = challenge;
  }
}

const MAX_MESSAGE_BYTES = 1024;

/** Describes an error of the protocol's client. Its text may come from the server. */
export function toMcpFailure(error: unknown, timeoutMs: number): McpFailure {
  const causes = causesOf(error);
  const known = causes.find((cause) => cause instanceof McpFailure);
  if (known) return known;
  const refusedByProvider = causes.find((cause) => cause instanceof AuthFailure);
  if (refusedByProvider) return new McpFailure('unreachable', refusedByProvider.message, { cause: error });
  const ours = causes.find((cause) => cause instanceof EgressFailed || cause instanceof EgressRefused);
  if (ours) return new McpFailure('unreachable', ours.message, { cause: error });
  const status = causes.map(statusOf).find((found) => found !== undefined);
  if (status === 401 || status === 403)
    return new McpFailure('refused', `The server refused the request with status ${status}. Check its key.`, {
      cause: error,
    });
  if (status !== undefined && status >= 300 && status < 400)
    return new McpFailure('refused', `The server redirects to another address, which is not followed. Add that one.`, {
      cause: error,
    });
  if (status !== undefined)
    return new McpFailure('unreachable', `The server answered with status ${status}.`, { cause: error });
  const code = codeOf(error);
  if (code === 'REQUEST_TIMEOUT')
    return new McpFailure('unreachable', `The server did not answer within ${timeoutMs / 1000} seconds.`, {
      cause: error,
    });
  if (typeof code === 'number') return new McpFailure('refused', `The server reported: ${messageOf(error)}`);
  const problem = causes.some(isSchemaError) ? 'it does not follow the protocol.' : messageOf(error);
  return new McpFailure('unreachable', `The server's answer can't be used: ${problem}`, { cause: error });
}

/** Its message is a list of all problems. */
const isSchemaError = (error: unknown) => error instanceof Error && error.name === 'ZodError';

const messageOf = (error: unknown) =>
  cleanText(error instanceof Error ? error.message : String(error), MAX_MESSAGE_BYTES);

function causesOf(error: unknown, found: readonly unknown[] = []): readonly unknown[] {
  if (!(error instanceof Error) || found.length === 8) return found;
  return causesOf(error.cause, [...found, error]);
}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined);

function statusOf(error: unknown): number | undefined {
  return error instanceof Error && 'status' in error && typeof error.status === 'number' ? error.status : undefined;
}
