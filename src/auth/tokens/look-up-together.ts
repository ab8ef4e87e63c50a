import { setTimeout as sleep } from 'node:timers/promises';
import { isSameHash } from '#domain/secret-hash.ts';

const MOST_AT_ONCE = 500;

/** The pause between two queries. A single lookup does not wait; a flood of bad tokens costs at most a hundred queries a second. */
const PAUSE_MS = 10;

type Hashed = { readonly hash: Buffer };

/** Finds rows by hash. All lookups that arrive during a query or right after it share the next one. */
export function lookUpTogether<Row extends Hashed>(
  find: (hashes: readonly Buffer[]) => Promise<readonly Row[]>,
): (hash: Buffer) => Promise<Row | undefined> {
  type Waiting = Hashed & { readonly found: PromiseWithResolvers<Row | undefined> };
  const waiting: Waiting[] = [];
  let busy = false;

  async function drain(): Promise<void> {
    busy = true;
    while (waiting.length > 0) {
      await lookUp(waiting.splice(0, MOST_AT_ONCE));
      await sleep(PAUSE_MS);
    }
    busy = false;
  }

  async function lookUp(batch: readonly Waiting[]): Promise<void> {
    try {
      const rows = await find(batch.map(({ hash }) => hash));
      for (const { hash, found } of batch) found.resolve(rows.find((row) => isSameHash(row.hash, hash)));
    } catch (error) {
      for (const { found } of batch) found.reject(error);
    }
  }

  return (hash) => {
    const found = Promise.withResolvers<Row | undefined>();
    waiting.push({ hash, found });
    if (!busy) void drain();
    return found.promise;
  };
}
