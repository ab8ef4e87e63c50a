import { canonicalAddress } from './links-in.ts';

/** The one spelling of the address of a page: `canonicalAddress` without what only tells who followed a link. */
export function sourceAddress(url: URL): string {
  const plain = new URL(url);
  const tracking = [...plain.searchParams.keys()].filter((name) => TRACKING.test(name));
  for (const name of tracking) plain.searchParams.delete(name); // writes the query again, so only if something goes
  return canonicalAddress(plain);
}

const TRACKING =
  /^(?:utm_\w{1,30}|gclid|gbraid|wbraid|dclid|fbclid|msclkid|yclid|mc_[ce]id|igshid|_hsenc|_hsmi|srsltid)$/i;
