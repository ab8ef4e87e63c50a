import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { TurnInspection } from '@reborn-agent/client/api';
import type { PickUpEntry } from '@reborn-agent/client/turn-entries';
import { useQuery } from '@tanstack/react-query';
import { client } from '../../../client/client.ts';
import { formatDuration } from '../../../format/time.ts';
import { Icon } from '../../../parts/icon.tsx';

/** Where a crash was, as a stitched piece of the line of steps. What was half said before it is in its fold. */
export function PickUpLine({ entry, turnId }: { readonly entry: PickUpEntry; readonly turnId: string }) {
  const { data } = useQuery({
    queryKey: ['turn', turnId],
    queryFn: () => client.call('GET /api/turns/{id}', { params: { id: turnId } }),
    enabled: entry.gapMs === undefined,
    staleTime: 60_000,
  });
  const gap = entry.gapMs ?? (data && gapOf(data, Number(entry.id.replace(/\D/g, ''))));
  const superseded = entry.superseded.length > 0 ? entry.superseded : (data?.superseded.map(({ text }) => text) ?? []);
  const words =
    gap === undefined ? t`Picked up, nothing was lost` : t`Picked up after ${formatDuration(gap)}, nothing was lost`;
  if (superseded.length === 0)
    return (
      <div className="step stitched pb-3">
        <Line words={words} />
      </div>
    );
  return (
    <details className="step stitched pb-3">
      <summary className="rounded hover:text-ink">
        <Line words={words} />
      </summary>
      <div className="ps-7">
        <p className="text-meta text-soft">
          <Trans>What was said before, and is said again:</Trans>
        </p>
        <div className="whitespace-pre-wrap break-words text-soft">{superseded.join('\n\n')}</div>
      </div>
    </details>
  );
}

const Line = ({ words }: { readonly words: string }) => (
  <p className="flex min-h-target items-center gap-3 text-meta text-soft">
    <Icon name="stitch" className="text-done" /> {words}
  </p>
);

/** From the end of the attempt before to the start of this one, as the service recorded it. */
function gapOf({ spans }: TurnInspection, attempt: number): number | undefined {
  const tries = spans.filter(({ kind }) => kind === 'attempt');
  const ended = tries.find((span) => span.attempt === attempt - 1)?.ended_at;
  const began = tries.find((span) => span.attempt === attempt)?.started_at;
  return ended && began ? Math.max(0, Date.parse(began) - Date.parse(ended)) : undefined;
}
