import { ChatFailed } from '#agent/chats/chat-port.ts';

type ApiError = {
  readonly error_code: number;
  readonly description: string;
  readonly parameters?: { readonly retry_after?: number };
};

function isApiError(error: unknown): error is ApiError {
  return error instanceof Error && 'error_code' in error && 'description' in error;
}

const GONE =
  /chat not found|user is deactivated|bot was kicked|bot is not a member|PEER_ID_INVALID|upgraded to a supergroup/i;
const LIMIT_SECONDS = 5;

/** A failure of the Bot API or on the way to it, without the token in its text. */
export function toFailure(error: unknown, token: string): ChatFailed {
  if (error instanceof ChatFailed) return error;
  if (!isApiError(error)) {
    const reason = error instanceof Error ? error.message : String(error);
    return new ChatFailed({ outcome: 'failed', error: reason.replaceAll(token, '…') });
  }
  const { error_code: status, description, parameters } = error;
  const said = `Telegram: ${description.slice(0, 300).replaceAll(token, '…')}`;
  if (status === 429)
    return new ChatFailed({
      outcome: 'limited',
      error: said,
      status,
      retryAfterSeconds: parameters?.retry_after ?? LIMIT_SECONDS,
    });
  if (status === 403 || (status === 400 && GONE.test(description)))
    return new ChatFailed({ outcome: 'gone', error: said, status });
  // 401 and 404: the token; 409: another program polls. All three can be put right without a loss.
  const isTemporary = status >= 500 || status === 401 || status === 404 || status === 409;
  return new ChatFailed({ outcome: isTemporary ? 'failed' : 'refused', error: said, status });
}
