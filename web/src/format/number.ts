import { i18n } from '@lingui/core';

/** The languages whose rules apply to dates and numbers, the best one first. */
export const formatLocales = (): string[] => [i18n.locales ?? [], i18n.locale || 'en'].flat();

export const formatNumber = (value: number, fractionDigits = 0): string =>
  value.toLocaleString(formatLocales(), {
    minimumFractionDigits: fractionDigits,
    maximumFractionDigits: fractionDigits,
  });

/** A price to the cent. An unknown price is a dash. */
export function formatCost(usd: string | number | null | undefined): string {
  if (usd === null || usd === undefined) return '–';
  const amount = Number(usd);
  return amount > 0 && amount < 0.01 ? `< ${formatDollars(0.01)}` : formatDollars(amount);
}

/** US dollars, without the cents where there are none if `short` is set. */
export const formatDollars = (usd: number, short = false): string =>
  usd.toLocaleString(formatLocales(), {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: short ? 0 : 2,
    maximumFractionDigits: 2,
  });

/** The price of a million tokens, which may be parts of a cent. */
export const formatPrice = (usd: number): string =>
  usd.toLocaleString(formatLocales(), {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: 2,
    maximumFractionDigits: 4,
  });

/** A number of tokens in a short form: `1.2k`, `3.4M`. */
export function formatTokens(tokens: number): string {
  if (tokens >= 1_000_000) return `${formatNumber(tokens / 1_000_000, tokens % 1_000_000 < 50_000 ? 0 : 1)}M`;
  return tokens < 1000 ? `${tokens}` : `${formatNumber(tokens / 1000, tokens < 10_000 ? 1 : 0)}k`;
}

export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1000 ** 2) return `${formatNumber(bytes / 1000, 1)} kB`;
  if (bytes < 1000 ** 3) return `${formatNumber(bytes / 1000 ** 2, 1)} MB`;
  return `${formatNumber(bytes / 1000 ** 3, 1)} GB`;
}
