import { t } from '@lingui/core/macro';
import { useMutation } from '@tanstack/react-query';
import { client } from '../../client/client.ts';
import { formatDuration } from '../../format/time.ts';
import { Button } from '../../parts/button.tsx';

/** Asks the model something small, and tells the outcome in words. */
export function TestModel({ route }: { readonly route?: string }) {
  const test = useMutation({
    mutationFn: () => client.call('POST /api/settings/test-model', { body: route === undefined ? {} : { route } }),
  });
  return (
    <div className="flex min-w-0 flex-col items-start gap-2">
      <Button disabled={test.isPending} onClick={() => test.mutate()}>
        {test.isPending ? t`Asking it` : t`Test it`}
      </Button>
      <div role="status" className="max-w-full break-words text-meta">
        {test.error && <span className="text-failed">{test.error.message}</span>}
        {test.data && (
          <span className={test.data.ok ? 'text-done' : 'text-failed'}>
            {test.data.message} ({formatDuration(test.data.milliseconds)})
          </span>
        )}
      </div>
    </div>
  );
}
