import { i18n } from '@lingui/core';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ApiError } from '@reborn-agent/client';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

/** What went wrong, and a way on. */
export function Problem({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  return (
    <div role="alert" className="flex items-start gap-3 rounded border border-failed bg-failed-wash p-3 text-m">
      <Icon name="warning" className="mt-0.5 text-failed" />
      <p className="min-w-0 flex-1 break-words">{wordsOf(error)}</p>
      {onRetry && (
        <Button icon="retry" onClick={onRetry}>
          <Trans>Try again</Trans>
        </Button>
      )}
    </div>
  );
}

export function wordsOf(error: unknown): string {
  if (error instanceof ApiError) return (i18n.locale !== 'en' && sentences()[error.code]) || error.message;
  return t`This part of the page failed. Reload it; if that does not help, look into the log of the service.`;
}

/** The service writes English. Readers of another language get a sentence for the code of a common error. */
const sentences = (): Readonly<Record<string, string>> => ({
  already_exists: t`Something has this name already. Choose another name.`,
  attachment_unavailable: t`An image or a file can't be read. Try again later, or send it again.`,
  body_too_large: t`This is too large. Send less.`,
  internal_error: t`The service made an error. Try again; if that does not help, look into its log.`,
  not_found: t`It does not exist, or belongs to another user.`,
  operator_only: t`Only an operator may do this.`,
  rate_limited: t`Too many requests. Wait a moment, and try again.`,
  sharing_off: t`Sharing is turned off. The operator can turn it on.`,
  thread_busy: t`Sixteen messages wait in this thread. Try again when some are answered.`,
  thread_full: t`The thread has reached its limit. Start a new thread.`,
});
