import { APICallError, UnsupportedFunctionalityError } from '@ai-sdk/provider';
import type { FailureDetails } from '#domain/failure/failure-details.ts';
import { isSearchedKey } from '#domain/model-key.ts';
import { cut } from '#domain/text/cut.ts';
import type { Usage } from '#domain/usage.ts';
import { ModelFailure, type Remedy } from '../model.ts';

const MAX_MESSAGE = 300;

/** The model as a person knows it. `provider`: its name, or the host of a self-hosted server. */
export type KnownModel = { readonly provider: string; readonly host: string; readonly name: string };

/** A failure with a message that is safe for the caller; the original error is its cause, for the log. */
export function toModelFailure(
  error: unknown,
  { model, apiKey }: { readonly model: KnownModel; readonly apiKey: string },
  usage: Usage | null,
): ModelFailure {
  if (error instanceof ModelFailure) return error;
  const tooLong = isTooLong(error);
  return new ModelFailure('model_error', messageFor(error, apiKey), {
    cause: error,
    details: tooLong ? { code: 'model.too_long', values: { model: model.name } } : detailsOf(error, model, apiKey),
    tooLong,
    usage,
    remedy: tooLong ? 'none' : remedyFor(error),
    retryAfterMs: retryAfterOf(error),
    status: statusOf(error),
  });
}

function remedyFor(error: unknown): Remedy {
  if (UnsupportedFunctionalityError.isInstance(error)) return 'none';
  const status = statusOf(error);
  if (status === undefined || status < 300 || status >= 500 || ASK_AGAIN.has(status)) return 'ask-again';
  return ASK_ANOTHER.has(status) ? 'ask-another' : 'none';
}

/** Without a status, the error is a lost connection or an error event in mid-stream. */
const statusOf = (error: unknown) => (APICallError.isInstance(error) ? error.statusCode : undefined);

const ASK_AGAIN = new Set([408, 409, 425, 429]);
/** The key, the credit or the model is missing. */
const ASK_ANOTHER = new Set([401, 402, 403, 404]);

/** The header has seconds or a date; OpenAI also sends milliseconds. */
function retryAfterOf(error: unknown): number {
  const headers = APICallError.isInstance(error) ? error.responseHeaders : undefined;
  const exact = Number(headers?.['retry-after-ms'] ?? Number.NaN);
  if (exact >= 0) return exact;
  const given = headers?.['retry-after'];
  if (given === undefined) return 0;
  const ms = /^\d+(\.\d+)?$/.test(given) ? Number(given) * 1000 : Date.parse(given) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : 0;
}

/** Every provider words it differently, and only OpenAI has a code for it. */
function isTooLong(error: unknown): boolean {
  if (APICallError.isInstance(error))
    return error.statusCode === 400 || error.statusCode === 413
      ? saysTooLong(error.message, error.responseBody)
      : false;
  return isReport(error) && saysTooLong(error.message, JSON.stringify(error));
}

const saysTooLong = (message: string, body = '') =>
  TOO_LONG.test(message) || body.includes('"context_length_exceeded"') || body.includes('"exceed_context_size_error"');

const TOO_LONG =
  /prompt is too long|\b(exceeds?|longer than|maximum|available) ([^.]{0,40} )?context (window|length|size|limit)|input token count[^.]{0,40}exceeds|too many (input )?tokens/i;

function detailsOf(error: unknown, { provider, host, name: model }: KnownModel, apiKey: string): FailureDetails {
  const refused = (said: string): FailureDetails => ({
    code: 'model.refused',
    values: { provider, said: fitForCaller(said, apiKey) },
  });
  if (UnsupportedFunctionalityError.isInstance(error)) return refused(error.functionality);
  if (!APICallError.isInstance(error))
    return isReport(error) ? refused(error.message) : { code: 'model.broke_off', values: { model } };
  const { statusCode: status, message, responseBody = '' } = error;
  if (status === undefined) return { code: 'model.unreachable', values: { host } };
  if (status < 300) return { code: 'model.broke_off', values: { model } };
  if (status === 402 || responseBody.includes('"insufficient_quota"'))
    return { code: 'model.no_credit', values: { provider } };
  // Google and xAI answer a wrong key with 400.
  if (status === 401 || status === 403 || (status === 400 && /api.?key/i.test(responseBody)))
    return { code: 'model.key_refused', values: { provider } };
  if (status === 404) return { code: 'model.not_found', values: { provider, model } };
  if (BUSY.has(status)) return { code: 'model.busy', values: { provider } };
  return status >= 500 ? { code: 'model.broken', values: { provider, status } } : refused(message);
}

/** 529: Anthropic's, when it is overloaded. */
const BUSY = new Set([408, 425, 429, 503, 529]);

/** The message of a failure of any model. Only the provider's messages are passed on: those of the library quote whole bodies and addresses. */
export function messageFor(error: unknown, apiKey: string): string {
  if (APICallError.isInstance(error) && error.statusCode !== undefined && error.statusCode >= 300)
    return `The model answered ${error.statusCode}: ${fitForCaller(error.message, apiKey)}`;
  if (isReport(error)) return `The model broke off: ${fitForCaller(error.message, apiKey)}`;
  if (UnsupportedFunctionalityError.isInstance(error))
    return `The model can't take this: ${fitForCaller(error.functionality, apiKey)}.`;
  if (APICallError.isInstance(error) && error.statusCode === undefined) {
    const reason = connectionProblemOf(error);
    return reason === undefined ? 'The model could not be reached.' : `The model could not be reached: ${reason}.`;
  }
  return "The model's answer could not be read to its end.";
}

/** Why there was no connection, in words that don't contain the address. */
export function connectionProblemOf(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const known = code === undefined ? undefined : REASONS.find(([codes]) => codes.test(code));
    if (known) return known[1];
  }
  return undefined;
}

const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^ECONNREFUSED$/, 'the connection was refused'],
  [/^(?:ENOTFOUND|EAI_AGAIN|EAI_NODATA)$/, 'the name of its host was not found'],
  [/^(?:ETIMEDOUT|UND_ERR_(?:CONNECT|HEADERS)_TIMEOUT)$/, 'there was no answer in time'],
  [/^(?:EHOSTUNREACH|ENETUNREACH)$/, 'there is no route to its host'],
  [/^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'the connection was closed'],
  [/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|^ERR_TLS|^ERR_SSL/, 'its certificate or TLS was not accepted'],
];

/** An error event of a provider in mid-stream is a plain object; only the library's own failures are errors. */
function isReport(error: unknown): error is { readonly message: string } {
  if (error instanceof Error || typeof error !== 'object' || error === null) return false;
  return 'message' in error && typeof error.message === 'string';
}

function fitForCaller(message: string, apiKey: string): string {
  const start = message.slice(0, 10 * MAX_MESSAGE);
  const withoutKey = isSearchedKey(apiKey) ? start.replaceAll(apiKey, '[key]') : start;
  // Providers quote a refused key in part: `sk-proj-****abcd`.
  const safe = withoutKey
    .replaceAll(/\S*(?:\*{3,}|\bsk-)\S*/g, '[key]')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return cut(safe, MAX_MESSAGE);
}
