/** A price for people: to the cent, and honest about less and about not knowing. */
export function formatCost(usd: string | null): string {
  if (usd === null) return 'price unknown';
  const value = Number(usd);
  if (value === 0) return '$0.00';
  return value < 0.01 ? '< $0.01' : `$${value.toFixed(2)}`;
}
