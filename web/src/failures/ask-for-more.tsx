import { Trans } from '@lingui/react/macro';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { wordsOf } from '../parts/error-words.ts';

/** Asks the operators for a higher limit of the day, and says what became of it. */
export function AskForMore() {
  const queries = useQueryClient();
  const { data } = useQuery({
    queryKey: ['usage', 1],
    queryFn: () => client.call('GET /api/usage', { query: { days: 1 } }),
  });
  const ask = useMutation({
    mutationFn: () => client.call('POST /api/limits/requests', {}),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['usage'] }),
  });
  if (!data) return null;
  if (data.limits.request === null)
    return (
      <>
        <Button disabled={ask.isPending} onClick={() => ask.mutate()}>
          <Trans>Ask for more</Trans>
        </Button>
        {ask.error && <p className="py-1 text-failed">{wordsOf(ask.error)}</p>}
      </>
    );
  return (
    <p role="status" className="py-1 text-soft">
      {data.limits.request === 'open' ? (
        <Trans>Your operator was asked for more.</Trans>
      ) : (
        <Trans>Your operator has left the limit as it is.</Trans>
      )}
    </p>
  );
}
