import { i18n } from '@lingui/core';
import { t } from '@lingui/core/macro';
import { ApiError, type ErrorValues } from '@reborn-agent/client';
import type { Error as ErrorBody } from '@reborn-agent/client/api';

export type ErrorCode = ErrorBody['error']['code'];

/** Sentences of a form for codes that mean something special there. */
export type OwnSentences = Partial<Readonly<Record<ErrorCode, string>>>;

/** Why a request failed. The service writes English; readers of another language get a sentence for the code. */
export function wordsOf(error: unknown, own: OwnSentences = {}): string {
  if (!(error instanceof ApiError))
    return t`This part of the page failed. Reload it; if that does not help, look into the log of the service.`;
  const { code, message, values, retryAfter = 60 } = error;
  if (isEnglish()) return message;
  return read(own, code) ?? read(errorSentences(message, values, Math.ceil(retryAfter)), code) ?? message;
}

/** Without a catalogue, all texts are English. */
const isEnglish = () => i18n.locale === 'en' || i18n.locale === '';

const read = (sentences: Readonly<Record<string, string | undefined>>, code: string): string | undefined =>
  Object.hasOwn(sentences, code) ? sentences[code] : undefined;

/** By the codes of the service, and those that the client gives to answers without one. `said`: details in English. */
const errorSentences = (
  said: string,
  { provider = '', host = '' }: ErrorValues,
  seconds: number,
): Readonly<Record<ErrorCode | 'forbidden' | 'unknown', string>> => ({
  already_exists: t`Something has this name already. Choose another name.`,
  attachment_unavailable: t`An image or a file can't be read. Try again later, or send it again.`,
  body_too_large: t`This is too large. Send less.`,
  call_id_mismatch: t`The thread waits for another result. Reload the page.`,
  cross_site: t`The service refuses requests of other sites. Reload the page.`,
  forbidden: t`The service refuses this: ${said}`,
  idempotency_mismatch: t`This was sent before with another content. Send it again.`,
  internal_error: t`The service made an error. Try again; if that does not help, look into its log.`,
  invalid_request: t`The service does not accept this: ${said}`,
  invalid_secret: t`The service does not accept the secret.`,
  invalid_tool: t`The service does not accept the tool: ${said}`,
  key_refused: t`${provider} refused the key. It was not stored. Check it, and try again.`,
  last_operator: t`You are the last operator. Make somebody else an operator first.`,
  no_pending_call: t`The thread does not wait for a result any more. Reload the page.`,
  nothing_to_compact: t`There is too little to summarise: the messages since the last summary are short.`,
  not_found: t`It does not exist, or belongs to another user.`,
  operator_only: t`Only an operator may do this.`,
  previous_response_not_found: t`What this refers to does not exist any more.`,
  provider_unreachable: t`${host} does not answer. Is it running? Nothing was stored.`,
  rate_limited: t`Too many requests at once. Try again in ${seconds} s.`,
  sharing_off: t`Sharing is turned off. The operator can turn it on.`,
  signed_in: t`This browser is signed in already. Sign out first: an invitation makes a new user.`,
  thread_busy: t`Sixteen messages wait in this thread. Try again when some are answered.`,
  thread_full: t`The thread has reached its limit. Start a new thread.`,
  tool_output_missing: t`The thread waits for the result of a tool. Send that first.`,
  unknown: t`The answer of the service can't be read: ${said}`,
  unknown_host: t`The service is not meant to be reached under this address. The operator can allow it with PUBLIC_URL.`,
});
