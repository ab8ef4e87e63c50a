import { t } from '@lingui/core/macro';
import type { TurnInspection } from '@reborn-agent/client/api';
import { formatDuration } from '../format/time.ts';

export type Span = TurnInspection['spans'][number];

type Props = {
  readonly turn: TurnInspection;
  readonly chosen: Span | undefined;
  readonly onChoose: (span: Span) => void;
};

const COLOURS: Record<Span['kind'], string> = {
  wait: 'bg-edge',
  attempt: 'bg-soft',
  model: 'bg-running',
  retry: 'bg-failed',
  tool: 'bg-done',
  gate: 'bg-waiting',
};

/** The labels of the API are English. For these kinds, they are names. */
export function labelOf(span: Span): string {
  if (span.kind === 'wait') return t`in the queue`;
  if (span.kind === 'model') return t`model`;
  return span.kind === 'attempt' && span.attempt !== null ? t`attempt ${span.attempt + 1}` : span.label;
}

const kinds = (): Partial<Record<Span['kind'], string>> => ({
  tool: t`tool`,
  gate: t`gate`,
});

/** Bars to scale, one per row, ordered by their start. */
export function Waterfall({ turn, chosen, onChoose }: Props) {
  const spans = turn.spans.filter(({ started_at: at }) => at !== null);
  const starts = spans.map(startOf);
  const from = Math.min(Date.parse(turn.created_at), ...starts);
  const to = Math.max(from + 1, ...spans.map(endOf));
  return (
    <section aria-label={t`Waterfall`}>
      <ul className="flex flex-col">
        {spans.map((span, index) => {
          const left = ((startOf(span) - from) / (to - from)) * 100;
          const width = ((endOf(span) - startOf(span)) / (to - from)) * 100;
          return (
            <li key={`${span.kind} ${span.label} ${index}`}>
              <button
                type="button"
                aria-pressed={span === chosen}
                onClick={() => onChoose(span)}
                className={`grid w-full grid-cols-[minmax(0,34%)_1fr_56px] md:grid-cols-[minmax(0,22%)_1fr_64px] items-center gap-3 rounded px-2 py-1 text-start text-meta hover:bg-hover ${span === chosen ? 'bg-hover' : ''}`}
              >
                <span className="truncate">
                  {kinds()[span.kind] && <span className="text-soft">{kinds()[span.kind]} </span>}
                  {labelOf(span)}
                </span>
                <span className="relative h-3 rounded-sm bg-sunken">
                  <span
                    className={`absolute inset-y-0 min-w-[3px] rounded-sm ${COLOURS[span.kind]}`}
                    style={{ insetInlineStart: `${left}%`, width: `${width}%` }}
                  />
                </span>
                <span className="text-end tabular-nums text-soft">{formatDuration(endOf(span) - startOf(span))}</span>
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

const startOf = (span: Span) => Date.parse(span.started_at ?? '');
const endOf = (span: Span) => (span.ended_at === null ? Date.now() : Date.parse(span.ended_at));
