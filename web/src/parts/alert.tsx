import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

/** A sentence about what went wrong, and a way on. */
export function Alert({
  children,
  onRetry,
}: {
  readonly children: ReactNode;
  readonly onRetry?: (() => void) | undefined;
}) {
  return (
    <div role="alert" className="flex items-start gap-3 wash bg-failed-wash">
      <Icon name="warning" className="mt-0.5 text-failed" />
      <p className="min-w-0 flex-1 break-words">{children}</p>
      {onRetry && (
        <Button icon="retry" onClick={onRetry}>
          <Trans>Try again</Trans>
        </Button>
      )}
    </div>
  );
}
