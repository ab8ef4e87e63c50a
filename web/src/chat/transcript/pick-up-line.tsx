import { plural, t } from '@lingui/core/macro';
import type { TurnInspection } from '@reborn-agent/client/api';
import type { PickUpEntry } from '@reborn-agent/client/thread-state';
import { useQuery } from '@tanstack/react-query';
import { client } from '../../client/client.ts';
import { formatDuration } from '../../format/time.ts';

/** Where a crash was. What was half said before it is folded under the line. */
export function PickUpLine({ entry, turnId }: { readonly entry: PickUpEntry; readonly turnId: string }) {
  const { data } = useQuery({
    queryKey: ['turn', turnId],
    queryFn: () => client.call('GET /api/turns/{id}', { params: { id: turnId } }),
    enabled: entry.gapMs === undefined,
    staleTime: 60_000,
  });
  const gap = entry.gapMs ?? (data && gapOf(data, Number(entry.id.replace(/\D/g, ''))));
  const superseded = entry.superseded.length > 0 ? entry.superseded : (data?.superseded.map(({ text }) => text) ?? []);
  const words = gap === undefined ? t`picked up after a restart` : t`picked up after ${formatDuration(gap)}`;
  if (superseded.length === 0) return <Line words={words} />;
  return (
    <details className="group/fold">
      <summary>
        <Line words={`${words}, ${saidAgain(superseded.join('').length)}`} />
      </summary>
      <div className="mb-4 whitespace-pre-wrap break-words border-s border-line ps-3 text-soft">
        {superseded.join('\n\n')}
      </div>
    </details>
  );
}

const saidAgain = (count: number) => plural(count, { one: '# character said again', other: '# characters said again' });

function Line({ words }: { readonly words: string }) {
  return (
    <p className="flex items-center gap-3 pb-4 pt-1 text-meta text-soft before:h-px before:flex-1 before:border-t before:border-dashed before:border-edge after:h-px after:flex-1 after:border-t after:border-dashed after:border-edge">
      {words}
    </p>
  );
}

/** From the end of the attempt before to the start of this one, as the service recorded it. */
function gapOf({ spans }: TurnInspection, attempt: number): number | undefined {
  const tries = spans.filter(({ kind }) => kind === 'attempt');
  const ended = tries.find((span) => span.attempt === attempt - 1)?.ended_at;
  const began = tries.find((span) => span.attempt === attempt)?.started_at;
  return ended && began ? Math.max(0, Date.parse(began) - Date.parse(ended)) : undefined;
}
