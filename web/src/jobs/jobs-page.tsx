import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../client/client.ts';
import { EmptyState } from '../parts/empty-state.tsx';
import { ChoiceField } from '../parts/field.tsx';
import { Listed } from '../parts/listed.tsx';
import { Page } from '../parts/page.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { Rows } from '../parts/rows.tsx';
import { ShowMore } from '../parts/show-more.tsx';
import { StatusMark } from '../parts/status-mark.tsx';
import { JobDrawer } from './job-drawer.tsx';
import { type Job, markOfJob } from './job-words.ts';

type Shown = 'all' | Job['status'];

/** What webhook callers have asked for. */
export function JobsPage() {
  const [shown, setShown] = useState<Shown>('all');
  const [opened, setOpened] = useState<Job>();
  const query = useInfiniteQuery({
    queryKey: ['jobs', shown],
    queryFn: ({ pageParam }) =>
      client.call('GET /api/jobs', {
        query: { limit: 50, status: shown === 'all' ? undefined : shown, cursor: pageParam },
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
  });
  const { data, error, refetch } = query;
  return (
    <Page
      title={t`Jobs`}
      about={t`What came in by webhook, the newest first.`}
      actions={<ChoiceField label={t`Show`} choices={choices()} value={shown} onChoose={setShown} />}
    >
      <Listed
        rows={data?.pages.flatMap((page) => page.jobs)}
        error={error}
        onRetry={() => void refetch()}
        label={t`Loading jobs`}
        empty={
          <EmptyState icon="jobs" title={t`No jobs`}>
            <Trans>
              A program that posts to the webhook channel gets a job for each message. Set HTTP_WEBHOOK_SECRET to turn
              the channel on.
            </Trans>
          </EmptyState>
        }
      >
        {(jobs) => (
          <>
            <Rows label={t`Jobs`} rows={jobs} keyOf={({ id }) => id} onOpen={setOpened}>
              {(job) => (
                <>
                  <span className="shrink-0 sm:w-36">
                    <StatusMark {...markOfJob(job)} />
                  </span>
                  <span className="min-w-0 flex-1 basis-48 truncate">{job.conversation_id ?? job.id}</span>
                  <span className="font-mono text-meta text-soft">{job.user_id}</span>
                  <span className="text-meta text-soft">
                    <RelativeTime time={job.created_at} />
                  </span>
                </>
              )}
            </Rows>
            <ShowMore pages={query} />
          </>
        )}
      </Listed>
      {opened && <JobDrawer job={opened} onClose={() => setOpened(undefined)} />}
    </Page>
  );
}

const choices = (): readonly { readonly value: Shown; readonly words: string }[] => [
  { value: 'all', words: t`All` },
  { value: 'queued', words: t`Queued` },
  { value: 'running', words: t`Running` },
  { value: 'completed', words: t`Completed` },
];
