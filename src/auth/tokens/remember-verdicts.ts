import type { Verdict } from '../authenticate.ts';

/** Until when it may be repeated, if that is sooner than usual. */
export type DatedVerdict = { readonly verdict: Verdict; readonly validUntil?: Date | null };
export type Recognise = (token: string, hash: Buffer) => Promise<DatedVerdict>;

export type RememberedVerdicts = {
  find(token: string, hash: Buffer): Promise<Verdict>;
  /** For when somebody was shut out here: other processes find out when their memory fades. */
  forget(): void;
};

/** With a lookup that takes as long as it may, a token that was revoked is refused everywhere within 5 s. */
const REMEMBER_MS = 3000;
const MOST = 10_000;

type Remembered = { readonly verdict: Verdict; readonly until: number };

/**
 * Asks `recognise` once for those who come together, and repeats its answer for a few seconds. Refusals have a memory
 * of their own, so that any number of bad tokens can't push a good one out.
 */
export function rememberVerdicts(recognise: Recognise): RememberedVerdicts {
  const good = new Map<string, Remembered>();
  const bad = new Map<string, Remembered>();
  const asked = new Map<string, Promise<Verdict>>();
  let forgotten = 0; // what was asked before somebody was shut out is not kept

  async function ask(token: string, hash: Buffer, key: string): Promise<Verdict> {
    const began = forgotten;
    const end = Date.now() + REMEMBER_MS; // from before the question on: the answer may be as old as that
    const { verdict, validUntil } = await recognise(token, hash);
    if (forgotten !== began) return verdict;
    const until = Math.min(end, validUntil?.getTime() ?? end);
    if (verdict.outcome === 'known') keep(good, key, { verdict, until });
    if (verdict.outcome === 'unknown' || verdict.outcome === 'domain-not-allowed') keep(bad, key, { verdict, until });
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

/** The one that was learnt longest ago makes room. */
function keep(memory: Map<string, Remembered>, key: string, remembered: Remembered): void {
  memory.delete(key);
  const [oldest] = memory.keys();
  if (memory.size >= MOST && oldest !== undefined) memory.delete(oldest);
  memory.set(key, remembered);
}
