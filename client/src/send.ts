import type { ChatAccepted, ChatRequest, VersionRequest } from './api.ts';
import { ApiError, type Client } from './client.ts';

export type SendOptions = {
  readonly signal?: AbortSignal;
  /** The key of a message that an earlier page or process may have sent already. */
  readonly idempotencyKey?: string;
  readonly pause?: (milliseconds: number) => Promise<void>;
  /** Called before each pause that the service has asked for, because there were too many messages, and with undefined after it. */
  readonly onWait?: (seconds: number | undefined) => void;
};

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2000;
/** A longer wait is reported instead: a person should know about it. */
const LONGEST_WAIT_S = 60;

/**
 * Sends a message until the service accepts it. Every try has the same idempotency key, so a message is neither lost nor
 * accepted twice, even if a response does not arrive. A refusal is final, except for `Retry-After`. While the thread works, the
 * person's choice decides when it is read.
 */
export function sendMessage(client: Client, body: ChatRequest, options: SendOptions = {}): Promise<ChatAccepted> {
  return untilAccepted(
    (idempotencyKey) =>
      client.call('POST /api/chat/send', {
        body: { when_busy: 'preferred', ...body },
        idempotencyKey,
        signal: options.signal,
      }),
    options,
  );
}

/** Starts another version of a message until the service accepts it; with `text`, an edited one. */
export function sendVersion(
  client: Client,
  { threadId, itemId, ...body }: VersionRequest & { readonly threadId: string; readonly itemId: string },
  options: SendOptions = {},
): Promise<ChatAccepted> {
  const params = { id: threadId, item: itemId };
  const { signal } = options;
  return untilAccepted(
    (idempotencyKey) =>
      client.call('POST /api/threads/{id}/items/{item}/versions', { params, body, idempotencyKey, signal }),
    options,
  );
}

async function untilAccepted(
  send: (idempotencyKey: string) => Promise<ChatAccepted>,
  { signal, pause = sleep, onWait, idempotencyKey = newKey() }: SendOptions,
): Promise<ChatAccepted> {
  for (let tries = 0; ; tries++) {
    try {
      return await send(idempotencyKey);
    } catch (error) {
      const wait = pauseAfter(error, tries);
      if (wait === undefined || signal?.aborted) throw error;
      const isAsked = error instanceof ApiError && error.status === 429;
      if (isAsked) onWait?.(wait / 1000);
      await pause(wait);
      if (isAsked) onWait?.(undefined);
    }
  }
}

/** Milliseconds until the next try; undefined if the error is final. */
function pauseAfter(error: unknown, tries: number): number | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const { status, retryAfter } = error;
  if (status === 429) return retryAfter !== undefined && retryAfter <= LONGEST_WAIT_S ? retryAfter * 1000 : undefined;
  return status === 0 || status === 503 ? Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS) : undefined;
}

/** `crypto.randomUUID` does not exist on pages that were loaded over plain HTTP. */
export const newKey = () =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-');

const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
