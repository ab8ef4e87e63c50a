import { formatCost } from '@reborn-agent/client/format';

/** A price. An unknown one is a dash that explains itself. */
export function Cost({ usd }: { readonly usd: string | number | null }) {
  if (usd !== null) return formatCost(usd);
  return (
    <span title="price unknown">
      <span aria-hidden="true">{formatCost(null)}</span>
      <span className="sr-only">price unknown</span>
    </span>
  );
}
