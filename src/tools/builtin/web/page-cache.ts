import type { UserId } from '#domain/principal.ts';
import type { EgressAnswer } from '#egress/exchange.ts';
import { canonicalAddress } from '#safety/addresses/links-in.ts';

/** What a site sent, and the address that its redirects led to. */
export type SentPage = { readonly answer: EgressAnswer; readonly url: URL };

type KeptPage = SentPage & { readonly at: number };

const KEPT_MS = 15 * 60_000;
/** Of all users of this replica. Older pages make room. */
const MOST_BYTES = 32 * 1024 * 1024;

/**
 * The pages that were sent for a user in the last minutes, so that another part of a page is read without another request. They are
 * in the memory of one replica: elsewhere, or after a restart, the site is asked again.
 */
export function createPageCache(now = Date.now) {
  const kept = new Map<string, KeptPage>(); // the oldest first
  let bytes = 0;

  function drop(key: string): void {
    bytes -= kept.get(key)?.answer.body.length ?? 0;
    kept.delete(key);
  }

  return {
    /** A kept page, and how old it is. */
    find(userId: UserId, asked: URL): (SentPage & { readonly ageMs: number }) | undefined {
      const page = kept.get(keyOf(userId, asked));
      const ageMs = page ? now() - page.at : KEPT_MS;
      return page && ageMs < KEPT_MS ? { ...page, ageMs } : undefined;
    },
    keep(userId: UserId, asked: URL, { answer, url }: SentPage): void {
      const key = keyOf(userId, asked);
      drop(key);
      if (!isKeepable(answer)) return;
      kept.set(key, { answer, url, at: now() });
      bytes += answer.body.length;
      for (const [oldest, { at }] of kept) {
        if (bytes <= MOST_BYTES && now() - at < KEPT_MS) return;
        drop(oldest);
      }
    },
  };
}

const keyOf = (userId: UserId, asked: URL): string => JSON.stringify([userId, canonicalAddress(asked)]);

const isKeepable = ({ status, headers }: EgressAnswer): boolean =>
  status === 200 && !/\bno-store\b/i.test(headers['cache-control'] ?? '');
