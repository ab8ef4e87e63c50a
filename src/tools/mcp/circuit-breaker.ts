export type CircuitBreaker = ReturnType<typeof createCircuitBreaker>;

const FAILURES = 2;
const OPEN_MS = 60_000;
const MAX_KNOWN = 10_000;

/**
 * A server that failed repeatedly is not called for a while, so that a dead one costs a turn only a few timeouts. Per replica and
 * in memory: a replica that reaches the server keeps calling it.
 */
export function createCircuitBreaker(now: () => number = () => performance.now()) {
  const known = new Map<string, { failures: number; until: number }>();
  return {
    /** Milliseconds until the server is called again; 0 when it may be called. */
    openFor: (id: string) => Math.max(0, (known.get(id)?.until ?? 0) - now()),
    succeeded: (id: string) => void known.delete(id),
    failed(id: string) {
      if (known.size >= MAX_KNOWN) known.clear();
      const failures = (known.get(id)?.failures ?? 0) + 1;
      known.set(id, { failures, until: failures >= FAILURES ? now() + OPEN_MS : 0 });
    },
  };
}
