import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { MissionResult } from '@reborn-agent/client/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useServices } from '../app/services.ts';
import { client } from '../client/client.ts';
import { formatDay, formatExact, formatTime, isSameDay } from '../format/time.ts';
import { Cost } from '../parts/cost.tsx';
import { reasonOf } from './mission-words.ts';
import { useMarkRead } from './use-results.ts';

/** A result in a list: whether it is new, its mission, and what it begins with. A failed one has a way out. */
export function ResultRow({ result, hasCost = false }: { readonly result: MissionResult; readonly hasCost?: boolean }) {
  const { mission_name: name, unread, failure, first_sentence: sentence } = result;
  return (
    <li className="relative flex min-h-14 items-center gap-3 px-3.5 py-2 has-[a:focus-visible]:bg-hover hover:bg-hover">
      <NewDot isNew={unread} hasFailed={failure !== null} />
      <span className="min-w-0 flex-1">
        <span className={`block truncate ${unread ? 'font-semibold' : 'font-medium'}`}>
          <ResultLink result={result}>{name}</ResultLink>
        </span>
        {failure ? (
          <span className="line-clamp-2 text-meta text-failed">
            <FailedWords code={failure.code} /> <WayOut result={result} code={failure.code} />
          </span>
        ) : (
          <span className="line-clamp-2 text-meta text-soft md:line-clamp-1">
            {sentence ?? t`An answer without words`}
          </span>
        )}
      </span>
      <span className="shrink-0 text-end text-meta tabular-nums text-soft">
        <time dateTime={result.ended_at} title={formatExact(result.ended_at)} className="block">
          {isSameDay(new Date(result.ended_at), new Date()) ? formatTime(result.ended_at) : formatDay(result.ended_at)}
        </time>
        {hasCost && result.cost_usd !== null && <Cost usd={result.cost_usd} />}
      </span>
    </li>
  );
}

function NewDot({ isNew, hasFailed }: { readonly isNew: boolean; readonly hasFailed: boolean }) {
  const title = [hasFailed && t`Failed`, isNew && t`Not read yet`].filter(Boolean).join(', ');
  const colour = hasFailed ? 'bg-failed' : isNew ? 'bg-ink' : 'border border-edge';
  return (
    <span className={`dot ${colour}`} title={title || undefined}>
      <span className="sr-only">{title}</span>
    </span>
  );
}

/** The whole row leads to the thread, which marks the result as read; one without a thread is read with the click. */
function ResultLink({ result, children }: { readonly result: MissionResult; readonly children: string }) {
  const { mutate: markRead } = useMarkRead();
  const { thread_id: threadId, mission_id: mission, slot } = result;
  const look = 'after:absolute after:inset-0';
  if (threadId !== null)
    return (
      <Link to="/threads/$threadId" params={{ threadId }} className={look}>
        {children}
      </Link>
    );
  return (
    <Link to="/missions/all" hash={mission} className={look} onClick={() => markRead({ mission_id: mission, slot })}>
      {children}
    </Link>
  );
}

function FailedWords({ code }: { readonly code: string }) {
  const reason = reasonOf({ status: 'failed', reason: code });
  return <Trans>Did not run: {reason}.</Trans>;
}

/** What to do about it: where the cause is, or another try. */
function WayOut({ result, code }: { readonly result: MissionResult; readonly code: string }) {
  const { me } = useServices();
  const queries = useQueryClient();
  const { mutate: markRead } = useMarkRead();
  const { mission_id: id, slot } = result;
  const run = useMutation({
    mutationFn: () => client.call('POST /api/missions/{id}/run', { params: { id } }),
    onSuccess: () => {
      markRead({ mission_id: id, slot });
      return queries.invalidateQueries({ queryKey: ['missions'] });
    },
  });
  const look = 'link relative z-1 whitespace-nowrap';
  if (MODEL.has(code) && me.role === 'operator')
    return (
      <Link to="/settings/models" className={look}>
        <Trans>Check the models</Trans>
      </Link>
    );
  return (
    <button type="button" className={look} disabled={run.isPending} onClick={() => run.mutate()}>
      <Trans>Run now</Trans>
    </button>
  );
}

const MODEL = new Set(['model_error', 'model_not_configured']);
