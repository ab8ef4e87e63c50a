import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { ReplicaList } from '@reborn-agent/client/api';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Suspense } from 'react';
import { client } from '../client/client.ts';
import { formatDuration } from '../format/time.ts';
import { Figure, Figures } from '../parts/figures.tsx';
import { Icon } from '../parts/icon.tsx';
import { lazyPart } from '../parts/lazy-part.ts';
import { Page } from '../parts/page.tsx';
import { Problem } from '../parts/problem.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { StatusMark } from '../parts/status-mark.tsx';

const ActivityCharts = lazyPart(() => import('./activity-charts.tsx').then((module) => module.ActivityCharts));

/** How busy the service is, and who does the work. */
export function HealthPage() {
  const status = useQuery({
    queryKey: ['status'],
    queryFn: () => client.call('GET /api/status'),
    refetchInterval: 5000,
  });
  const replicas = useQuery({
    queryKey: ['replicas'],
    queryFn: () => client.call('GET /api/replicas'),
    refetchInterval: 5000,
  });
  const activity = useQuery({
    queryKey: ['activity'],
    queryFn: () => client.call('GET /api/activity'),
    refetchInterval: 15_000,
  });
  const error = status.error ?? replicas.error ?? activity.error;
  return (
    <Page title={t`Health`} about={t`Replicas, queue and parts. It refreshes itself.`}>
      {error && (
        <Problem
          error={error}
          onRetry={() => void Promise.all([status, replicas, activity].map(({ refetch }) => refetch()))}
        />
      )}
      {replicas.data ? (
        <>
          <Figures>
            <Figure name={t`Running turns`} value={replicas.data.queue.running} />
            <Figure name={t`Queued turns`} value={replicas.data.queue.queued} />
            <Figure name={t`Waiting for approval`} value={replicas.data.queue.waiting} />
            <Figure
              name={t`Oldest in the queue`}
              value={
                replicas.data.queue.oldest_seconds === null
                  ? t`none`
                  : formatDuration(replicas.data.queue.oldest_seconds * 1000)
              }
            />
          </Figures>
          <section>
            <h2 className="mb-2 font-semibold">
              <Trans>Replicas</Trans>
            </h2>
            {new Set(replicas.data.replicas.map(({ model }) => model)).size > 1 && (
              <p role="alert" className="mb-2 flex items-start gap-3 wash bg-failed-wash">
                <Icon name="warning" className="mt-1 text-failed" />
                <Trans>
                  The replicas have different model settings, and any of them may answer a turn. Give all of them the
                  same LLM settings.
                </Trans>
              </p>
            )}
            <ul className="divide-y divide-line card">
              {replicas.data.replicas.map((replica) => (
                <li key={replica.id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3">
                  <StatusMark
                    mark={replica.running > 0 ? 'running' : 'done'}
                    words={replica.running > 0 ? t`runs ${replica.running}` : t`ready`}
                  />
                  <span className="min-w-0 flex-1 basis-60 truncate font-mono text-meta">{replica.id}</span>
                  <span className="text-meta text-soft">{replica.model ?? t`model not known`}</span>
                  <span className="text-meta text-soft">
                    <Trans>
                      started <RelativeTime time={replica.started_at} />
                    </Trans>
                    {replica.self && <>, {t`answers this page`}</>}
                  </span>
                </li>
              ))}
            </ul>
          </section>
          <Deliveries {...replicas.data.deliveries} />
        </>
      ) : (
        !error && <Skeleton label={t`Loading the state`} />
      )}
      {activity.data && (
        <section>
          <h2 className="mb-2 font-semibold">
            <Trans>The last hour</Trans>
          </h2>
          <Suspense fallback={<Skeleton label={t`Loading charts`} rows={8} />}>
            <ActivityCharts minutes={activity.data.minutes} />
          </Suspense>
        </section>
      )}
      {status.data && (
        <section>
          <h2 className="mb-2 font-semibold">
            <Trans>Parts</Trans>
          </h2>
          <dl className="grid gap-x-5 gap-y-2 sm:grid-cols-2">
            <Part name={t`Version`} value={status.data.version} />
            <Part name={t`Up for`} value={formatDuration(status.data.uptime_seconds * 1000)} />
            <Part name={t`Model`} value={`${status.data.model.name} (${status.data.model.provider})`} />
            <Part
              name={t`Database`}
              value={`PostgreSQL ${status.data.database.version}, ${status.data.database.kind}`}
            />
            <Part name={t`Channels`} value={channelsOf(status.data.channels)} />
            <Part name={t`Tools`} value={String(status.data.tools)} />
          </dl>
        </section>
      )}
    </Page>
  );
}

function Deliveries({ open, dead, dead_last_day: lastDay }: ReplicaList['deliveries']) {
  return (
    <section>
      <h2 className="mb-2 font-semibold">
        <Trans>Deliveries</Trans>
      </h2>
      {lastDay > 0 && (
        <p role="alert" className="mb-2 flex items-start gap-3 wash bg-failed-wash">
          <Icon name="warning" className="mt-1 text-failed" />
          <span>
            <Trans>Some messages were given up in the last day, so their receivers don't have them.</Trans>{' '}
            <Link to="/notifications" className="link">
              <Trans>Look at the deliveries</Trans>
            </Link>
          </span>
        </p>
      )}
      <p>
        <Trans>
          Open: {open}. Given up: {dead}, of these in the last day: {lastDay}.
        </Trans>
      </p>
    </section>
  );
}

function Part({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div className="flex justify-between gap-4 border-b border-line py-1">
      <dt className="text-soft">{name}</dt>
      <dd className="text-end">{value}</dd>
    </div>
  );
}

const channelsOf = (channels: Record<string, boolean>) =>
  Object.entries(channels)
    .filter(([, on]) => on)
    .map(([name]) => name)
    .join(', ');
