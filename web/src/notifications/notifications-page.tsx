import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { Endpoint } from '@reborn-agent/client/api';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { Listed } from '../parts/listed.tsx';
import { Page } from '../parts/page.tsx';
import { Problem } from '../parts/problem.tsx';
import { StatusMark } from '../parts/status-mark.tsx';
import { DeliveryList } from './delivery-list.tsx';
import { DeviceList } from './device-list.tsx';
import { EndpointForm } from './endpoint-form.tsx';
import { QuietHoursForm } from './quiet-hours-form.tsx';

/** Where and when the user is notified, and what became of each notification. */
export function NotificationsPage() {
  const [adding, setAdding] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: ['notifications'],
    queryFn: () => client.call('GET /api/notifications'),
  });
  return (
    <Page
      title={t`Notifications`}
      about={t`Where you hear of approvals, failed jobs and missions.`}
      actions={
        <Button icon="add" onClick={() => setAdding(true)}>
          <Trans>Add an endpoint</Trans>
        </Button>
      }
    >
      <DeviceList />
      <section aria-label={t`Endpoints`} className="flex flex-col gap-3">
        <h2 className="font-semibold">
          <Trans>Endpoints</Trans>
        </h2>
        <Listed
          rows={data?.endpoints}
          error={error}
          onRetry={() => void refetch()}
          label={t`Loading endpoints`}
          empty={
            <EmptyState icon="bell" title={t`No endpoints yet`}>
              <Trans>
                An endpoint is an https address that gets your events as signed requests: your own program, or a service
                that forwards them to your phone.
              </Trans>
            </EmptyState>
          }
        >
          {(endpoints) => (
            <ul aria-label={t`Endpoints`} className="flex flex-col divide-y divide-line border-y border-line">
              {endpoints.map((endpoint) => (
                <EndpointRow key={endpoint.id} endpoint={endpoint} />
              ))}
            </ul>
          )}
        </Listed>
      </section>
      {data && (
        <section aria-label={t`Quiet hours`} className="flex flex-col gap-3">
          <h2 className="font-semibold">
            <Trans>Quiet hours</Trans>
          </h2>
          <QuietHoursForm quiet={data.quiet_hours} />
        </section>
      )}
      <DeliveryList />
      {adding && <EndpointForm onClose={() => setAdding(false)} />}
    </Page>
  );
}

function EndpointRow({ endpoint }: { readonly endpoint: Endpoint }) {
  const queries = useQueryClient();
  const [removing, setRemoving] = useState(false);
  const params = { id: endpoint.id };
  const test = useMutation({
    mutationFn: () => client.call('POST /api/notifications/endpoints/{id}/test', { params }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['deliveries'] }),
  });
  const remove = useMutation({
    mutationFn: () => client.call('DELETE /api/notifications/endpoints/{id}', { params }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['notifications'] }),
  });
  const error = test.error ?? remove.error;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3">
      <span className="min-w-0 flex-1 basis-60">
        <span className="block truncate font-medium">{endpoint.name}</span>
        <span className="block truncate font-mono text-meta text-soft">{endpoint.url}</span>
        <span className="block text-meta text-soft">
          {endpoint.everyone ? t`${endpoint.events.join(', ')} of all users` : endpoint.events.join(', ')}
        </span>
      </span>
      {endpoint.gone_at && <StatusMark mark="failed" words={t`answered 410: gets nothing more`} />}
      <Button disabled={test.isPending || endpoint.gone_at !== null} onClick={() => test.mutate()}>
        <Trans>Send a test</Trans>
      </Button>
      <Button look="quiet" onClick={() => setRemoving(true)}>
        <Trans>Remove</Trans>
      </Button>
      {error && <Problem error={error} />}
      {removing && (
        <Confirm
          title={t`Remove ${endpoint.name}?`}
          action={t`Remove`}
          onConfirm={() => remove.mutate()}
          onClose={() => setRemoving(false)}
        >
          <Trans>Events that wait for it are not delivered any more.</Trans>
        </Confirm>
      )}
    </li>
  );
}
