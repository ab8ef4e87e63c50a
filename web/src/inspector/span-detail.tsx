import type { ThreadItem, TurnInspection } from '@reborn-agent/client/api';
import { formatCost, formatCount } from '@reborn-agent/client/format';
import { textOf } from '@reborn-agent/client/thread-state';
import { ReadableJson } from '../chat/transcript/readable-json.tsx';
import { formatExact } from '../format/time.ts';
import type { Span } from './waterfall.tsx';

/** The details of a bar of the waterfall: its times and items. */
export function SpanDetail({ turn, span }: { readonly turn: TurnInspection; readonly span: Span }) {
  const made = turn.items.filter(({ id }) => span.item_ids.includes(id));
  return (
    <section aria-label={span.label} className="flex flex-col gap-3 border-t border-line pt-4">
      <h2 className="font-semibold">{span.label}</h2>
      <p className="text-s text-soft">
        {span.started_at && `From ${formatExact(span.started_at)}`}
        {span.ended_at ? ` to ${formatExact(span.ended_at)}` : ', still going'}
        {span.attempt !== null && `, attempt ${span.attempt}`}
        {span.usage &&
          `. ${formatCount(span.usage.input_tokens, 'token')} in, ${span.usage.output_tokens.toLocaleString('en')} out, ${formatCost(span.usage.cost_usd)}`}
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

function titleOf(item: ThreadItem): string {
  if (item.type === 'message') return 'Said';
  return item.type === 'function_call' ? `Called ${item.name} with` : 'Result';
}

function contentOf(item: ThreadItem): string {
  if (item.type === 'message') return textOf(item.content);
  return item.type === 'function_call' ? item.arguments : textOf(item.output);
}
