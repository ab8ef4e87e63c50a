/** Resolves, when there is a free slot, to the function that frees it again. Rejects after the wait or an abort. */
export type TakeSlot = (waitMs: number, signal: AbortSignal) => Promise<() => void>;

/** Grants up to `limit` slots at a time, in the order of the requests. */
export function createSlots(limit: number): TakeSlot {
  const waiting: (() => void)[] = [];
  let taken = 0;

  return (waitMs, signal) => {
    if (taken < limit) {
      taken++;
      return Promise.resolve(leaveOnce());
    }
    const { promise, resolve, reject } = Promise.withResolvers<() => void>();
    const enter = (): void => {
      stopWaiting();
      resolve(leaveOnce());
    };
    const giveUp = (reason: Error): void => {
      stopWaiting();
      waiting.splice(waiting.indexOf(enter), 1);
      reject(reason);
    };
    const abort = (): void => giveUp(signal.reason as Error);
    const timer = setTimeout(() => giveUp(new NoFreeSlot()), waitMs);
    const stopWaiting = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    };
    signal.addEventListener('abort', abort, { once: true });
    waiting.push(enter);
    return promise;
  };

  function leaveOnce(): () => void {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      const next = waiting.shift();
      if (next) next();
      else taken--;
    };
  }
}

export class NoFreeSlot extends Error {
  override readonly name = 'NoFreeSlot';
}
