import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { TurnInspection } from '@reborn-agent/client/api';
import { formatCost, formatNumber } from '../format/number.ts';

type Props = { readonly web: TurnInspection['web'] };

/** What was searched and opened in the turn, since the person's message, and on this day, which have limits. */
export function WebUse({ web: { turn, run, today } }: Props) {
  if (run.searches + run.pages === 0) return null;
  const rows = [
    { name: t`this turn`, ...turn },
    { name: t`since your message`, ...run },
    { name: t`today, in all threads`, ...today },
  ];
  return (
    <section className="border-t border-line pt-4">
      <h2 className="mb-2 font-semibold">
        <Trans>Web</Trans>
      </h2>
      <table className="w-full text-meta tabular-nums">
        <thead className="text-soft">
          <tr>
            <td />
            <th scope="col" className="text-end font-normal">{t`Searches`}</th>
            <th scope="col" className="text-end font-normal">{t`Pages`}</th>
            <th scope="col" className="text-end font-normal">{t`Cost`}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, searches, pages, cost_usd: cost }) => (
            <tr key={name}>
              <th scope="row" className="text-start font-normal text-soft">
                {name}
              </th>
              <td className="text-end">{formatNumber(searches)}</td>
              <td className="text-end">{formatNumber(pages)}</td>
              <td className="text-end">{formatCost(cost)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
