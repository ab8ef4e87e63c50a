import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { formatCost } from '../format/number.ts';

/** A price. An unknown one is a dash that explains itself. */
export function Cost({ usd }: { readonly usd: string | number | null }) {
  if (usd !== null) return formatCost(usd);
  return (
    <span title={t`price unknown`}>
      <span aria-hidden="true">{formatCost(null)}</span>
      <span className="sr-only">
        <Trans>price unknown</Trans>
      </span>
    </span>
  );
}
