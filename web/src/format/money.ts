/** Money to the cent; what is less than a cent says so, and what nobody knows too. */
export function formatCost(usd: string | number | null | undefined): string {
  if (usd === null || usd === undefined) return 'price unknown';
  const amount = Number(usd);
  if (amount === 0) return '$0.00';
  if (amount < 0.01) return '< $0.01';
  return `$${amount.toFixed(2)}`;
}
