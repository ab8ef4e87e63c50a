import type { Verdict } from '../authenticate.ts';

/** How long it may be cached, if that is shorter than usual. */
export type DatedVerdict = { readonly verdict: Verdict; readonly validUntil?: Date | null };
export type Recognise = (token: string, hash: Buffer) => Promise<DatedVerdict>;

export type RememberedVerdicts = {
  find(token: string, hash: Buffer): Promise<Verdict>;
  /** Call when access was revoked here; other processes notice when their cache expires. */
  forget(): void;
};

/** Together with the longest lookup, a revoked token is refused everywhere within 5 s. */
const REMEMBER_MS = 3000;
const MOST = 10_000;

const REFUSALS: readonly Verdict['outcome'][] = ['unknown', 'domain-not-allowed', 'elsewhere'];

type Remembered = { readonly verdict: Verdict; readonly until: number };

/**
 * Calls `recognise` once for concurrent requests, and caches its verdict for a few seconds. Refusals have a separate
 * cache, so that any number of bad tokens can't evict a good one.
 */
export function rememberVerdicts(recognise: Recognise): RememberedVerdicts {
  const good = new Map<string, Remembered>();
  const bad = new Map<string, Remembered>();
  const asked = new Map<string, Promise<Verdict>>();
  let forgotten = 0; // lookups started before a revocation are not cached

  async function ask(token: string, hash: Buffer, key: string): Promise<Verdict> {
    const began = forgotten;
    const end = Date.now() + REMEMBER_MS; // counted from the start of the lookup, because the verdict may be that old
    const { verdict, validUntil } = await recognise(token, hash);
    if (forgotten !== began) return verdict;
    const until = Math.min(end, validUntil?.getTime() ?? end);
    if (verdict.outcome === 'known') keep(good, key, { verdict, until });
    if (REFUSALS.includes(verdict.outcome)) keep(bad, key, { verdict, until });
    return verdict;
  }

  return {
    async find(token, hash) {
      const key = hash.toString('base64');
      const remembered = good.get(key) ?? bad.get(key);
      if (remembered && remembered.until > Date.now()) return remembered.verdict;

      const already = asked.get(key);
      if (already) return already;
      const asking = ask(token, hash, key).finally(() => {
        if (asked.get(key) === asking) asked.delete(key);
      });
      asked.set(key, asking);
      return asking;
    },
    forget: () => {
      forgotten++;
      good.clear();
      asked.clear();
    },
  };
}

/** Evicts the oldest entry. */
function keep(memory: Map<string, Remembered>, key: string, remembered: Remembered): void {
  memory.delete(key);
  const [oldest] = memory.keys();
  if (memory.size >= MOST && oldest !== undefined) memory.delete(oldest);
  memory.set(key, remembered);
}
