import { ChatFailed } from '#agent/chats/chat-port.ts';

/** The target refuses everything from now on. */
const GONE = new Set([
  'channel_not_found',
  'is_archived',
  'not_in_channel',
  'user_not_found',
  'user_disabled',
  'cannot_dm_bot',
  'thread_not_found',
]);
/** This content will never be accepted. */
const REFUSED = new Set([
  'msg_too_long',
  'no_text',
  'invalid_blocks',
  'invalid_blocks_format',
  'msg_blocks_too_long',
  'restricted_action',
  'message_not_found',
  'cant_update_message',
  'edit_window_closed',
]);
const LIMIT_SECONDS = 5;

/** Anything else can be put right or goes away, such as a revoked token or a missing scope. */
export function toFailure(error: unknown, secrets: readonly string[]): ChatFailed {
  if (error instanceof ChatFailed) return error;
  const cause = isError(error, 'original') && error.original instanceof Error ? error.original : error;
  const reason = cause instanceof Error ? cause.message : String(cause);
  const hide = (words: string) => secrets.reduce((text, secret) => text.replaceAll(secret, '…'), words).slice(0, 300);
  if (isError(error, 'retryAfter') && typeof error.retryAfter === 'number')
    return new ChatFailed({
      outcome: 'limited',
      error: 'Slack: ratelimited',
      status: 429,
      retryAfterSeconds: error.retryAfter,
    });
  if (isError(error, 'statusCode') && typeof error.statusCode === 'number') {
    const { statusCode: status } = error;
    if (status === 429)
      return new ChatFailed({
        outcome: 'limited',
        error: 'Slack: ratelimited',
        status,
        retryAfterSeconds: LIMIT_SECONDS,
      });
    return new ChatFailed({ outcome: 'failed', error: `Slack answered ${status}.`, status });
  }
  const code = isError(error, 'data') ? codeIn(error.data) : undefined;
  if (code === undefined) return new ChatFailed({ outcome: 'failed', error: hide(reason) });
  const said = hide(`Slack: ${code}`);
  if (code === 'ratelimited' || code === 'rate_limited')
    return new ChatFailed({ outcome: 'limited', error: said, retryAfterSeconds: LIMIT_SECONDS });
  return new ChatFailed({
    outcome: GONE.has(code) ? 'gone' : REFUSED.has(code) ? 'refused' : 'failed',
    error: said,
  });
}

const isError = <Name extends string>(error: unknown, name: Name): error is Error & Record<Name, unknown> =>
  error instanceof Error && name in error;

function codeIn(data: unknown): string | undefined {
  return typeof data === 'object' && data !== null && 'error' in data && typeof data.error === 'string'
    ? data.error
    : undefined;
}
