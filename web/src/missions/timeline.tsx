import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { Occurrence } from '@reborn-agent/client/api';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { client } from '../client/client.ts';
import { formatDuration, formatExact } from '../format/time.ts';
import { Cost } from '../parts/cost.tsx';
import { Listed } from '../parts/listed.tsx';
import { ShowMore } from '../parts/show-more.tsx';
import { StatusMark } from '../parts/status-mark.tsx';
import { formatIn, HERE, markOfRun, reasonOf } from './mission-words.ts';

const REFRESH_MS = 2000;

/** The due times of a mission, newest first, with outcome, duration and cost. */
export function Timeline({ id }: { readonly id: string }) {
  const query = useInfiniteQuery({
    queryKey: ['occurrences', id],
    queryFn: ({ pageParam }) =>
      client.call('GET /api/missions/{id}/occurrences', {
        params: { id },
        query: { limit: 20, cursor: pageParam || undefined },
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: REFRESH_MS,
  });
  const { data, error, refetch } = query;
  return (
    <section className="flex flex-col gap-3">
      <h3 className="font-semibold">
        <Trans>Runs</Trans>
      </h3>
      <Listed
        rows={data?.pages.flatMap((page) => page.occurrences)}
        error={error}
        onRetry={() => void refetch()}
        label={t`Loading runs`}
        empty={
          <p className="text-soft">
            <Trans>Not run yet.</Trans>
          </p>
        }
      >
        {(runs) => (
          <>
            <ol aria-label={t`Runs`} className="ms-1 border-s border-line">
              {runs.map((run) => (
                <li key={run.slot} className="relative py-2 ps-4">
                  <Run run={run} longest={longestOf(runs)} />
                </li>
              ))}
            </ol>
            <ShowMore pages={query} />
          </>
        )}
      </Listed>
    </section>
  );
}

function Run({ run, longest }: { readonly run: Occurrence; readonly longest: number }) {
  const took = durationOf(run);
  const reason = reasonOf(run);
  return (
    <div className="flex flex-col gap-1">
      <div className="flex flex-wrap items-baseline gap-x-3">
        <time
          dateTime={run.slot}
          title={formatExact(run.slot)}
          className="whitespace-nowrap text-interface tabular-nums"
        >
          {formatIn(run.slot, HERE)}
        </time>
        <StatusMark {...markOfRun(run)} />
        {run.kind !== 'scheduled' && (
          <span className="text-meta text-soft">{run.kind === 'manual' ? t`by hand` : t`by an event`}</span>
        )}
        {run.thread_id && (
          <Link to="/threads/$threadId" params={{ threadId: run.thread_id }} className="ms-auto text-meta link">
            <Trans>Thread</Trans>
          </Link>
        )}
      </div>
      {reason && <p className="break-words text-meta text-soft">{reason}</p>}
      {took !== undefined && (
        <div className="flex items-center gap-3 text-meta text-soft">
          <span
            aria-hidden="true"
            className="h-1 min-w-1 rounded-full bg-edge"
            style={{ width: `${(took / longest) * 50}%` }}
          />
          <span className="whitespace-nowrap tabular-nums">
            {formatDuration(took)}
            {run.tokens > 0 && (
              <>
                {' · '}
                <Cost usd={run.cost_usd} />
              </>
            )}
          </span>
        </div>
      )}
    </div>
  );
}

/** Milliseconds from start to end; undefined for a run that has not both. */
function durationOf({ started_at: start, ended_at: end }: Occurrence): number | undefined {
  return start === null || end === null ? undefined : Date.parse(end) - Date.parse(start);
}

const longestOf = (runs: readonly Occurrence[]): number => Math.max(1, ...runs.map((run) => durationOf(run) ?? 0));
