import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { SpendingLimits as Limits } from '@reborn-agent/client/api';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLimitRequests } from '../app/use-limit-requests.ts';
import { client } from '../client/client.ts';
import { formatCost, formatTokens } from '../format/number.ts';
import { Button } from '../parts/button.tsx';
import { TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Problem } from '../parts/problem.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { totalOf } from './sum-usage.ts';

/** What a user may spend in a day. */
export function SpendingLimits({ userId, limits }: { readonly userId: string; readonly limits: Limits }) {
  const queries = useQueryClient();
  const [tokens, setTokens] = useState(toText(limits.tokens_per_day));
  const [usd, setUsd] = useState(toText(limits.usd_per_day));
  const keep = useMutation({
    mutationFn: () =>
      client.call('PUT /api/users/{id}/limits', {
        params: { id: userId },
        body: { tokens_per_day: toNumber(tokens), usd_per_day: toNumber(usd) },
      }),
    onSuccess: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['users'] }),
        queries.invalidateQueries({ queryKey: ['limit-requests'] }),
      ]),
  });
  return (
    <section className="flex flex-col gap-3">
      <h3 className="font-semibold">
        <Trans>Spending in a day</Trans>
      </h3>
      <AsksForMore userId={userId} />
      <SpentToday userId={userId} />
      <p className="text-meta text-soft">
        <Trans>Leave both empty to use the default limit.</Trans>
      </p>
      <Form className="flex flex-wrap items-end gap-2" onSubmit={() => keep.mutate()}>
        <div className="min-w-32 flex-1">
          <TextField
            label={t`Tokens`}
            type="number"
            min={0}
            step={1}
            value={tokens}
            onChange={(event) => setTokens(event.target.value)}
          />
        </div>
        <div className="min-w-32 flex-1">
          <TextField
            label={t`US dollars`}
            type="number"
            min={0}
            step="any"
            value={usd}
            onChange={(event) => setUsd(event.target.value)}
          />
        </div>
        <Button type="submit" disabled={keep.isPending}>
          <Trans>Save limits</Trans>
        </Button>
      </Form>
      <p role="status" className="text-meta text-soft">
        {keep.isSuccess && t`Saved. The limits apply from the next turn.`}
      </p>
      {keep.error && <Problem error={keep.error} />}
    </section>
  );
}

/** That the user asks for more, until the limit is changed or it is dismissed. */
function AsksForMore({ userId }: { readonly userId: string }) {
  const queries = useQueryClient();
  const request = useLimitRequests().find(({ user_id: id }) => id === userId);
  const dismiss = useMutation({
    mutationFn: () => client.call('DELETE /api/limits/requests/{user_id}', { params: { user_id: userId } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['limit-requests'] }),
  });
  return (
    <>
      {request && (
        <div className="wash flex flex-wrap items-center gap-3 bg-waiting-wash">
          <p className="min-w-0 flex-1 basis-48">
            <strong className="font-medium">
              <Trans>Asks for a higher limit.</Trans>
            </strong>{' '}
            <span className="text-meta text-soft">
              <RelativeTime time={request.asked_at} />
            </span>
          </p>
          <Button disabled={dismiss.isPending} onClick={() => dismiss.mutate()}>
            <Trans>Dismiss</Trans>
          </Button>
        </div>
      )}
      {dismiss.error && <Problem error={dismiss.error} />}
    </>
  );
}

/** What the user has used of it since midnight UTC. */
function SpentToday({ userId }: { readonly userId: string }) {
  const { data, error } = useQuery({
    queryKey: ['usage', 'today'],
    queryFn: () => client.call('GET /api/usage', { query: { days: 1 } }),
  });
  if (error) return <Problem error={error} />;
  if (!data) return null;
  const { tokens, cost } = totalOf(data.usage.filter(({ user_id: id }) => id === userId));
  return <p>{t`Used today: ${formatTokens(tokens)} tokens, ${formatCost(cost)}`}</p>;
}

const toText = (limit: number | null) => (limit === null ? '' : String(limit));
const toNumber = (text: string) => (text.trim() === '' ? null : Number(text));
