import { repeat } from './repeat.ts';

export type WorkQueue = {
  /** Polls now. */
  readonly runNow: () => void;
  /** Takes what is due now, without a poll. */
  readonly take: () => void;
  /** Waits for the work under way. */
  readonly stop: () => Promise<void>;
};

/**
 * Work that waits in rows of the database:
 *
 * 1. A replica polls when the engine reports that something is due, and now and then by itself.
 * 2. One take at a time leases as many rows as there is room for. Work that is due meanwhile is found by another take.
 * 3. Each job is handled by itself, so that a slow one delays no other. Its handler writes how it ended.
 * 4. If a job lets another become due, or all room was taken, the next take follows at once.
 */
export function startWorkQueue<Job>(options: {
  /** Leases up to `room` jobs that are due to this replica. */
  readonly take: (room: number) => Promise<readonly Job[]>;
  /** Returns whether the next job may be due at once. */
  readonly handle: (job: Job) => Promise<boolean>;
  readonly atOnce: number;
  /** Runs with each poll. Returns whether there may be something to take. */
  readonly prepare?: () => Promise<boolean>;
  readonly pollEveryMs: number;
  /** Called with `runNow`, which the engine calls when something is due. */
  readonly wakeOn: (runNow: () => void) => void;
  readonly onError: (error: unknown) => void;
}): WorkQueue {
  const { atOnce, prepare = async () => true, onError } = options;
  const underway = new Set<Promise<void>>();
  let stopped = false;
  let isFull = false;
  let taking = Promise.resolve();
  let isTaking = false;
  let again = false;

  function take(): Promise<void> {
    again = true;
    if (isTaking) return taking;
    isTaking = true;
    taking = takeAll();
    return taking;
  }

  async function takeAll(): Promise<void> {
    try {
      while (again && !stopped) {
        again = false;
        const room = atOnce - underway.size;
        if (room > 0) for (const job of await options.take(room)) begin(job);
        isFull = underway.size >= atOnce;
      }
    } catch (error) {
      onError(error);
    } finally {
      isTaking = false; // together with the last look at `again`, so that no wish is lost
    }
  }

  function begin(job: Job): void {
    const handled = options
      .handle(job)
      .catch((error: unknown) => {
        onError(error);
        return false;
      })
      .then((hasMore) => {
        underway.delete(handled);
        if (hasMore || isFull) void take();
      });
    underway.add(handled);
  }

  const poll = async () => {
    if (await prepare()) await take();
  };
  const polling = repeat(options.pollEveryMs, poll, onError);
  options.wakeOn(polling.runNow);
  return {
    runNow: polling.runNow,
    take: () => void take(),
    async stop() {
      stopped = true;
      await polling.stop();
      await taking;
      await Promise.all(underway);
    },
  };
}
