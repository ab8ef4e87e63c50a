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
  const bars = barsOf(turn, turn.spans, 0);
  const spans = bars.map(({ span }) => span);
  const starts = spans.map(startOf);
  const from = Math.min(Date.parse(turn.created_at), ...starts);
  const to = Math.max(from + 1, ...spans.map(endOf));
  return (
    <section aria-label={t`Waterfall`}>
      <ul className="flex flex-col">
        {bars.map(({ span, level, task }, index) => {
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
                <span className="truncate" style={{ paddingInlineStart: `${level}rem` }}>
                  {kinds()[span.kind] && <span className="text-soft">{kinds()[span.kind]} </span>}
                  {task === undefined ? labelOf(span) : <bdi>{task}</bdi>}
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

type Bar = {
  readonly span: Span;
  /** How far down the subagent is that it belongs to; 0 for the turn itself. */
  readonly level: number;
  /** Of a call that has started a subagent. */
  readonly task: string | undefined;
};

/** The bars of these periods, each call with those of the subagent that it has started below it. */
function barsOf(turn: TurnInspection, spans: readonly Span[], level: number): Bar[] {
  return spans
    .filter(({ started_at: at }) => at !== null)
    .flatMap((span) => {
      const subagent = turn.subagents.find(({ call }) => span.kind === 'tool' && span.item_ids.includes(call));
      const below = subagent ? barsOf(turn, subagent.spans, level + 1) : [];
      return [{ span, level, task: subagent?.task }, ...below];
    });
}

const startOf = (span: Span) => Date.parse(span.started_at ?? '');
const endOf = (span: Span) => (span.ended_at === null ? Date.now() : Date.parse(span.ended_at));
