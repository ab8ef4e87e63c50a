import type { WorkspaceVersion } from './sandbox.ts';

/** Something that is worth keeping for a while after its use. */
export type Warm = { isAlive(): boolean; end(): Promise<void> };

export type WarmPool<T extends Warm> = {
  /** Resolves when it is the caller's turn, to the function that ends it. Rejects when the signal aborts or the pool closes. */
  enter(signal: AbortSignal): Promise<() => void>;
  /** What was kept for exactly this version. One for another version is of no use any more, and ends. */
  take(key: WorkspaceVersion): T | undefined;
  keep(key: WorkspaceVersion, thing: T): void;
  /** Ends what was kept longest, so that someone else has its place. Returns whether there was something. */
  readonly dropOldest: () => boolean;
  /** No one enters any more, and nothing is kept. */
  close(): void;
};

export type PoolSizes = { readonly inUse: number; readonly warm: number; readonly idleMs: number };
export const DEFAULT_SIZES: PoolSizes = { inUse: 8, warm: 16, idleMs: 5 * 60_000 };
/** They take no room of this machine, but what one replica keeps is missing to the others. */
export const RUNNER_SIZES: PoolSizes = { inUse: 64, warm: 16, idleMs: 30_000 };

type Kept<T> = { readonly version: number; readonly thing: T; readonly timer: NodeJS.Timeout };

export function createWarmPool<T extends Warm>(sizes: PoolSizes): WarmPool<T> {
  const queue = createQueue(sizes.inUse);
  const kept = new Map<string, Kept<T>>(); // by workspace, the oldest first
  let isClosed = false;

  function remove(workspace: string): Kept<T> | undefined {
    const found = kept.get(workspace);
    kept.delete(workspace);
    clearTimeout(found?.timer);
    return found;
  }

  function drop(workspace: string): void {
    const found = remove(workspace);
    void found?.thing.end();
  }

  function dropOldest(): boolean {
    const [oldest] = kept.keys();
    if (oldest !== undefined) drop(oldest);
    return oldest !== undefined;
  }

  return {
    enter: queue.enter,
    take({ workspace, version }) {
      const found = remove(workspace);
      if (found?.version === version && found.thing.isAlive()) return found.thing;
      void found?.thing.end();
      return undefined;
    },
    keep({ workspace, version }, thing) {
      drop(workspace);
      if (isClosed) return void thing.end();
      const timer = setTimeout(() => drop(workspace), sizes.idleMs).unref();
      kept.set(workspace, { version, thing, timer });
      if (kept.size > sizes.warm) dropOldest();
    },
    dropOldest,
    close() {
      isClosed = true;
      queue.close();
      for (const workspace of kept.keys()) drop(workspace);
    },
  };
}

/** Lets `limit` in at a time, in the order they came. */
function createQueue(limit: number) {
  const waiting = new Set<{ enter(): void; giveUp(reason: unknown): void }>();
  let inside = 0;
  let closed: Error | undefined;

  function leaveOnce(): () => void {
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      const [next] = waiting;
      if (next) next.enter();
      else inside--;
    };
  }

  async function enter(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (closed) throw closed;
    if (inside < limit) {
      inside++;
      return leaveOnce();
    }
    const { promise, resolve, reject } = Promise.withResolvers<() => void>();
    const abort = (): void => waiter.giveUp(signal.reason);
    const waiter = {
      enter: () => (leaveQueue(), resolve(leaveOnce())),
      giveUp: (reason: unknown) => (leaveQueue(), reject(reason)),
    };
    const leaveQueue = (): void => {
      waiting.delete(waiter);
      signal.removeEventListener('abort', abort);
    };
    waiting.add(waiter);
    signal.addEventListener('abort', abort);
    return promise;
  }

  function close(): void {
    closed = new Error('The sandboxes are closed.');
    for (const waiter of waiting) waiter.giveUp(closed);
  }

  return { enter, close };
}
