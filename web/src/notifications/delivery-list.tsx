import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { Delivery, DeliveryAttempt } from '@reborn-agent/client/api';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { Facts } from '../parts/facts.tsx';
import { ChoiceField } from '../parts/field.tsx';
import { Listed } from '../parts/listed.tsx';
import { Problem } from '../parts/problem.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { Rows } from '../parts/rows.tsx';
import { ShowMore } from '../parts/show-more.tsx';
import { type Mark, StatusMark } from '../parts/status-mark.tsx';

type Shown = 'all' | Delivery['state'];

/** How often the list is read again: the service does not report deliveries. */
const REFRESH_MS = 5000;

/** What was sent, or should have been. */
export function DeliveryList() {
  const [shown, setShown] = useState<Shown>('all');
  const [opened, setOpened] = useState<string>();
  const query = useInfiniteQuery({
    queryKey: ['deliveries', shown],
    queryFn: ({ pageParam }) =>
      client.call('GET /api/deliveries', {
        query: { limit: 20, state: shown === 'all' ? undefined : shown, cursor: pageParam },
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: REFRESH_MS,
  });
  const { data, error, refetch } = query;
  return (
    <section aria-label={t`Deliveries`} className="flex flex-col gap-3">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <h2 className="font-semibold">
          <Trans>Deliveries</Trans>
        </h2>
        <ChoiceField label={t`Show`} choices={choices()} value={shown} onChoose={setShown} />
      </div>
      <Listed
        rows={data?.pages.flatMap((page) => page.deliveries)}
        error={error}
        onRetry={() => void refetch()}
        label={t`Loading deliveries`}
        empty={
          <EmptyState icon="bell" title={t`No deliveries`}>
            <Trans>
              Each event for an endpoint, and each callback of a webhook job, is listed here with its attempts.
            </Trans>
          </EmptyState>
        }
      >
        {(deliveries) => (
          <>
            <Rows label={t`Deliveries`} rows={deliveries} keyOf={({ id }) => id} onOpen={({ id }) => setOpened(id)}>
              {(delivery) => (
                <>
                  <span className="shrink-0 sm:w-28">
                    <StatusMark {...marks()[delivery.state]} />
                  </span>
                  <span className="min-w-0 flex-1 basis-48">
                    <span className="block truncate">{delivery.type}</span>
                    {delivery.last_error && (
                      <span className="block truncate text-meta text-soft">{delivery.last_error}</span>
                    )}
                  </span>
                  <span className="font-mono text-meta text-soft">{delivery.user_id}</span>
                  <span className="text-meta text-soft">
                    <RelativeTime time={delivery.created_at} />
                  </span>
                </>
              )}
            </Rows>
            <ShowMore pages={query} />
          </>
        )}
      </Listed>
      {opened && <DeliveryDrawer id={opened} onClose={() => setOpened(undefined)} />}
    </section>
  );
}

const choices = (): readonly { readonly value: Shown; readonly words: string }[] => [
  { value: 'all', words: t`All` },
  { value: 'pending', words: t`Waiting` },
  { value: 'dead', words: t`Given up` },
  { value: 'sent', words: t`Delivered` },
];

const marks = (): Record<Delivery['state'], { readonly mark: Mark; readonly words: string }> => ({
  pending: { mark: 'waiting', words: t`waiting` },
  sending: { mark: 'running', words: t`sending` },
  sent: { mark: 'done', words: t`delivered` },
  dead: { mark: 'failed', words: t`given up` },
});

function DeliveryDrawer({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const queries = useQueryClient();
  const { data, error } = useQuery({
    queryKey: ['deliveries', 'one', id],
    queryFn: () => client.call('GET /api/deliveries/{id}', { params: { id } }),
    refetchInterval: REFRESH_MS,
  });
  const retry = useMutation({
    mutationFn: () => client.call('POST /api/deliveries/{id}/retry', { params: { id } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['deliveries'] }),
  });
  const problem = error ?? retry.error;
  return (
    <Dialog title={data ? `${data.type}: ${marks()[data.state].words}` : t`Delivery`} place="side" onClose={onClose}>
      {problem && <Problem error={problem} />}
      {data && (
        <div className="flex flex-col gap-7">
          <Facts
            facts={[
              [t`Target`, data.target],
              [t`User`, data.user_id],
              [t`Id, sent as webhook-id`, data.id],
              [t`Happened`, <RelativeTime key="at" time={data.created_at} />],
              [t`Next attempt`, data.next_attempt_at && <RelativeTime key="next" time={data.next_attempt_at} />],
            ]}
          />
          {data.state === 'dead' && (
            <div>
              <Button icon="retry" disabled={retry.isPending} onClick={() => retry.mutate()}>
                <Trans>Try again</Trans>
              </Button>
            </div>
          )}
          <ol aria-label={t`Attempts`} className="flex flex-col gap-3">
            {data.ledger.map((attempt) => (
              <AttemptRow key={attempt.attempt} attempt={attempt} />
            ))}
          </ol>
        </div>
      )}
    </Dialog>
  );
}

function outcomeWords(outcome: DeliveryAttempt['outcome']): string {
  if (outcome === null) return t`under way`;
  const words: Record<typeof outcome, string> = {
    sent: t`sent`,
    failed: t`failed`,
    limited: t`limited`,
    refused: t`refused`,
    gone: t`gone`,
    interrupted: t`interrupted`,
    unknown: t`unknown`,
  };
  return words[outcome];
}

function AttemptRow({ attempt }: { readonly attempt: DeliveryAttempt }) {
  const { outcome, status, error, retry_after: pause } = attempt;
  const mark: Mark = outcome === 'sent' ? 'done' : outcome === null ? 'running' : 'failed';
  return (
    <li className="flex flex-col gap-1">
      <span className="flex flex-wrap items-center gap-3">
        <StatusMark mark={mark} words={`${attempt.attempt}. ${outcomeWords(outcome)}${status ? `, ${status}` : ''}`} />
        <span className="text-meta text-soft">
          <RelativeTime time={attempt.started_at} />
        </span>
      </span>
      {error && <span className="break-words text-meta">{error}</span>}
      {pause !== null && (
        <span className="text-meta text-soft">
          <Trans>The receiver asked for a pause of {pause} s.</Trans>
        </span>
      )}
    </li>
  );
}
