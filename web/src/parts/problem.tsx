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
          Try again
        </Button>
      )}
    </div>
  );
}

export function wordsOf(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  return 'This part of the page failed. Reload it; if that does not help, look into the log of the service.';
}
