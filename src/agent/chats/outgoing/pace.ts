/** Calls `show` with the newest words, and not too often. `show` returns for how long to pause. */
export function createPace(
  everyMs: number,
  show: (words: string) => Promise<number>,
  onError: (error: unknown) => void,
) {
  let newest: string | undefined;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let underway: Promise<void> | undefined;

  function schedule(ms: number): void {
    if (stopped || timer || underway) return;
    timer = setTimeout(() => {
      timer = undefined;
      const words = newest;
      newest = undefined;
      if (words === undefined) return;
      underway = show(words)
        .catch((error: unknown) => {
          onError(error);
          return everyMs;
        })
        .then((pauseMs) => {
          underway = undefined;
          schedule(Math.max(everyMs, pauseMs));
        });
    }, ms);
  }
  return {
    offer(words: string): void {
      newest = words;
      schedule(everyMs);
    },
    async stop(): Promise<void> {
      stopped = true;
      clearTimeout(timer);
      await underway;
    },
  };
}
