import { Trans } from '@lingui/react/macro';
import { Button } from './button.tsx';
import { type OwnSentences, wordsOf } from './error-words.ts';
import { Icon } from './icon.tsx';

/** What went wrong, and a way on. */
export function Problem({
  error,
  own,
  onRetry,
}: {
  readonly error: unknown;
  readonly own?: OwnSentences;
  readonly onRetry?: () => void;
}) {
  return (
    <div role="alert" className="flex items-start gap-3 wash bg-failed-wash">
      <Icon name="warning" className="mt-0.5 text-failed" />
      <p className="min-w-0 flex-1 break-words">{wordsOf(error, own)}</p>
      {onRetry && (
        <Button icon="retry" onClick={onRetry}>
          <Trans>Try again</Trans>
        </Button>
      )}
    </div>
  );
}
