import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { ThreadItem, TurnInspection } from '@reborn-agent/client/api';
import { factOf } from '@reborn-agent/client/gate-card';
import { textOf } from '@reborn-agent/client/message-text';
import { holdsTextByOthers } from '@reborn-agent/client/text-by-others';
import { ReadSources } from '../chat/gates/read-sources.tsx';
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
      <p className="text-meta text-soft">
        {timesOf(span)}
        {span.attempt !== null && span.kind !== 'attempt' && <>, {t`attempt ${span.attempt + 1}`}</>}
        {span.usage && <>. {usageWords(span.usage)}</>}
      </p>
      {made.map((item) => (
        <div key={item.id}>
          <p className="text-meta text-soft">
            {titleOf(item)}
            {originWords(item) && `, ${originWords(item)}`}
          </p>
          <ReadableJson text={contentOf(item)} />
          {item.type === 'function_call' && <CallSituation turn={turn} callId={item.call_id} />}
        </div>
      ))}
    </section>
  );
}

/** What the model had read when it made the call, and what let the call run. */
function CallSituation({ turn, callId }: { readonly turn: TurnInspection; readonly callId: string }) {
  const judged = turn.calls.find(({ call_id: id }) => id === callId);
  if (!judged) return null;
  return (
    <div className="text-meta text-soft">
      <p>{situations()[judged.situation]}</p>
      {judged.allowed_by && <p>{permissions()[judged.allowed_by]}</p>}
      {judged.layers && <p>{t`Its code ran in a sandbox that held: ${judged.layers.join(', ')}.`}</p>}
      {judged.because.length > 0 && (
        <p className="break-words">
          <Trans>
            Read before: <ReadSources read={judged.because.map(factOf)} more={0} />
          </Trans>
        </p>
      )}
    </div>
  );
}

const situations = (): Record<TurnInspection['calls'][number]['situation'], string> => ({
  clean: t`Judged as clean: nothing by others was read before it.`,
  foreign: t`Judged after reading text by others.`,
  both: t`Judged after reading text by others and private data.`,
});

const permissions = (): Record<NonNullable<TurnInspection['calls'][number]['allowed_by']>, string> => ({
  policy: t`It ran without a question: the operator allows this tool.`,
  always: t`It ran without a question: you have said "always" to such calls.`,
  approval: t`It ran because you approved it.`,
  site: t`It ran without a question: you have approved the links of its site.`,
  research: t`It ran without a question: you have approved the research.`,
  tool: t`It ran without a question: it only reads at a trusted place, or reaches no one but you.`,
  clean: t`It ran without a question: nothing by others was read before it.`,
});

/** Where an item comes from; empty where that is not recorded. */
function originWords(item: ThreadItem): string {
  if (item.type === 'function_call') return '';
  if (item.vouched) return t`text by others, trusted by you`;
  if (item.type === 'message' && item.role === 'user') {
    if (item.author === 'agent') return t`written by the agent`;
    return holdsTextByOthers({ role: item.role, parts: item.content }) ? t`with text by others` : t`yours`;
  }
  const { reads } = item;
  if (reads?.foreign) return reads.private ? t`text by others, private` : t`text by others`;
  return reads?.private ? t`private` : '';
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
