import type { CarryResult } from '#domain/notification/delivery.ts';
import { signStandardWebhook } from '#domain/webhook/standard-webhooks.ts';
import type { Egress } from '#egress/egress.ts';

export type SignedPost = {
  readonly url: string;
  /** The port that the operator has allowed besides 443. */
  readonly namedPort?: number | undefined;
  /** The same for each attempt, so that a receiver recognises repeats. */
  readonly id: string;
  readonly body: string;
  readonly secret: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
};

/** Posts a body as Standard Webhooks defines it. */
export async function postSigned(egress: Egress, post: SignedPost): Promise<CarryResult> {
  const { url, namedPort, id, body, secret, timeoutMs, signal } = post;
  const timestamp = Math.floor(Date.now() / 1000);
  try {
    const { status, headers } = await egress.send({
      method: 'POST',
      url,
      namedPort,
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signStandardWebhook({ id, timestamp, body, secret }),
      },
      body,
      timeoutMs,
      maxResponseBytes: 65_536,
      signal,
    });
    return toResult(status, parseRetryAfter(headers['retry-after'], Date.now()));
  } catch (error) {
    if (signal.aborted) return { outcome: 'interrupted', error: 'The replica stopped during the request.' };
    return { outcome: 'failed', error: error instanceof Error ? error.message : String(error) };
  }
}

function toResult(status: number, retryAfterSeconds: number | undefined): CarryResult {
  if (status >= 200 && status < 300) return { outcome: 'sent', status };
  if (status === 410) return { outcome: 'gone', status, error: 'The receiver answered 410: it wants no more.' };
  const error = `The receiver answered ${status}.`;
  if (status === 429 && retryAfterSeconds !== undefined)
    return { outcome: 'limited', status, error, retryAfterSeconds };
  return { outcome: 'failed', status, error, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
}

/** Seconds, or the time until a date. */
export function parseRetryAfter(value: string | readonly string[] | undefined, now: number): number | undefined {
  const [text] = typeof value === 'string' ? [value] : (value ?? []);
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1000);
}
