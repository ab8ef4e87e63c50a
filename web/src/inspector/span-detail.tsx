import { plural, t } from '@lingui/core/macro';
import type { ThreadItem, TurnInspection } from '@reborn-agent/client/api';
import { textOf } from '@reborn-agent/client/thread-state';
import { ReadableJson } from '../chat/transcript/readable-json.tsx';
import { formatCost, formatNumber } from '../format/number.ts';
import { formatExact } from '../format/time.ts';
import { labelOf, type Span } from './waterfall.tsx';

/** The details of a bar of the waterfall: its times and items. */
export function SpanDetail({ turn, span }: { readonly turn: TurnInspection; readonly span: Span }) {
  const made = turn.items.filter(({ id }) => span.item_ids.includes(id));
  return (
    <section aria-label={labelOf(span)} className="flex flex-col gap-3 border-t border-line pt-4">
      <h2 className="font-semibold">{labelOf(span)}</h2>
      <p className="text-s text-soft">
        {timesOf(span)}
        {span.attempt !== null && span.kind !== 'attempt' && <>, {t`attempt ${span.attempt + 1}`}</>}
        {span.usage && <>. {usageWords(span.usage)}</>}
      </p>
      {made.map((item) => (
        <div key={item.id}>
          <p className="text-s text-soft">{titleOf(item)}</p>
          <ReadableJson text={contentOf(item)} />
        </div>
      ))}
    </section>
  );
}

function timesOf({ started_at: start, ended_at: end }: Span): string {
  const from = start === null ? '–' : formatExact(start);
  return end === null ? t`From ${from}, still going` : t`From ${from} to ${formatExact(end)}`;
}

function usageWords({
  input_tokens: input,
  output_tokens: output,
  cost_usd: cost,
}: NonNullable<Span['usage']>): string {
  const [written, price] = [formatNumber(output), formatCost(cost)];
  return plural(input, {
    one: `# token in, ${written} out, ${price}`,
    other: `# tokens in, ${written} out, ${price}`,
  });
}

function titleOf(item: ThreadItem): string {
  if (item.type === 'message') return t`Said`;
  return item.type === 'function_call' ? t`Called ${item.name} with` : t`Result`;
}

function contentOf(item: ThreadItem): string {
  if (item.type === 'message') return textOf(item.content);
  return item.type === 'function_call' ? item.arguments : textOf(item.output);
}
