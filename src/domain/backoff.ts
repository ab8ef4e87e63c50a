type Backoff = {
  /** The wait after the first failure. */
  readonly first: number;
  readonly longest: number;
  /** Up to this share of the wait is left out at random, so that many callers don't return at the same moment. */
  readonly jitter?: number;
};

/** How long to wait after so many failures in a row: twice as long after each. In the unit of `first`. */
export function backoff(failures: number, { first, longest, jitter = 0 }: Backoff): number {
  const wait = Math.min(longest, first * 2 ** (Math.max(1, failures) - 1));
  return wait * (1 - jitter * Math.random());
}
