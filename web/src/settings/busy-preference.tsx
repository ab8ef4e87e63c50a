import { Trans } from '@lingui/react/macro';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useServices } from '../app/services.ts';
import { client } from '../client/client.ts';
import { Problem } from '../parts/problem.tsx';

/** What happens to a message that is sent while the agent works. */
export function BusyPreference() {
  const { me } = useServices();
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: (steers: boolean) => client.call('PATCH /api/me', { body: { when_busy: steers ? 'steer' : 'queue' } }),
    onSuccess: (changed) => queries.setQueryData(['me'], changed),
  });
  return (
    <>
      <label className="flex items-center gap-2">
        <input
          type="checkbox"
          checked={change.isPending ? change.variables : me.preferences.when_busy === 'steer'}
          disabled={change.isPending}
          onChange={(event) => change.mutate(event.target.checked)}
        />
        <Trans>A message that is sent while the agent works is read after its present step</Trans>
      </label>
      {change.error && <Problem error={change.error} />}
    </>
  );
}
