import { t } from '@lingui/core/macro';
import type { UsageReport } from '@reborn-agent/client/api';
import { useState } from 'react';
import { formatTokens } from '../format/number.ts';
import { formatDuration } from '../format/time.ts';
import { Cost } from '../parts/cost.tsx';
import { Section } from '../parts/section.tsx';
import { Segments } from '../parts/segments.tsx';
import { nameOfUser } from './audit-words.ts';
import { totalOf } from './sum-usage.ts';

type By = 'person' | 'model' | 'day';

/** The same calls, added up by person, by model or by day. */
export function UsageTable({ report }: { readonly report: UsageReport }) {
  const [by, setBy] = useState<By>('person');
  const names = { person: t`Person`, model: t`Model`, day: t`Day` };
  return (
    <Section
      title={t`In figures`}
      beside={<Segments label={t`Add up by`} choices={ways()} value={by} onChoose={setBy} />}
    >
      <div className="relative overflow-x-auto" tabIndex={0} role="group" aria-label={t`In figures`}>
        <table className="w-full text-start">
          <thead className="text-label text-soft">
            <tr className="border-b border-line">
              {[names[by], t`Calls`, t`Errors`, t`Tokens`, t`Average`, t`Cost`].map((name, index) => (
                <th key={name} scope="col" className={`py-2 pe-4 font-medium ${index > 0 ? 'text-end' : ''}`}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="tabular-nums">
            {addUp(report, by).map(([key, total]) => (
              <tr key={key} className="border-b border-line">
                <th scope="row" className="py-2 pe-4 font-medium" title={by === 'person' ? key : undefined}>
                  {by === 'person' ? nameOfUser(key, report.names) : key}
                </th>
                <td className="pe-4 text-end">{total.calls}</td>
                <td className="pe-4 text-end">{total.errors}</td>
                <td className="pe-4 text-end">{formatTokens(total.tokens)}</td>
                <td className="pe-4 text-end">{formatDuration(total.latencyMs)}</td>
                <td className="pe-4 text-end">
                  <Cost usd={total.unpriced === total.calls ? null : total.cost} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}

/** Days in their order, the newest first; people and models with the most tokens first. */
function addUp({ usage }: UsageReport, by: By) {
  const keys = { person: 'user_id', model: 'model', day: 'day' } as const;
  const groups = Map.groupBy(usage, (row) => row[keys[by]]);
  const totals = [...groups].map(([key, rows]) => [key, totalOf(rows)] as const);
  return by === 'day' ? totals : totals.toSorted(([, a], [, b]) => b.tokens - a.tokens);
}

const ways = () =>
  [
    { value: 'person', words: t`Person` },
    { value: 'model', words: t`Model` },
    { value: 'day', words: t`Day` },
  ] as const;
