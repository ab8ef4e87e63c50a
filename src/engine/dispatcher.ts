import type { ClaimedTurn } from './claim.ts';

export type Dispatcher = {
  /** There may be something to claim. */
  kick(): void;
  /** A place has become free: worth a look only if there was none. */
  freed(): void;
  /** How many more turns this replica would take. */
  free(): number;
  stop(): Promise<void>;
};

/** One loop per process: claims turns whenever it is kicked, and at least every second, up to its capacity. */
export function startDispatcher(options: {
  capacity: number;
  running: () => number;
  claim: (count: number) => Promise<ClaimedTurn[]>;
  begin: (claimed: ClaimedTurn) => void;
  onError: (error: unknown) => void;
}): Dispatcher {
  const free = () => options.capacity - options.running();
  let kicked = Promise.withResolvers<void>();
  let stopped = false;
  let full = false;

  async function claimAll(): Promise<void> {
    for (;;) {
      const count = batchSize(free());
      full = count === 0;
      if (full || stopped) return;
      const claimed = await options.claim(count);
      claimed.forEach(options.begin);
      if (claimed.length < count) return;
    }
  }

  async function loop(): Promise<void> {
    while (!stopped) {
      kicked = Promise.withResolvers<void>();
      try {
        await claimAll();
      } catch (error) {
        options.onError(error);
      }
      await kickedOr(kicked.promise, POLL_MS);
    }
  }

  const looping = loop();
  return {
    kick: () => kicked.resolve(),
    freed: () => {
      if (full) kicked.resolve();
    },
    free,
    stop: async () => {
      stopped = true;
      kicked.resolve();
      await looping;
    },
  };
}

const POLL_MS = 1000;
const MAX_BATCH = 64;

/** A power of two, so that there are few distinct statements to prepare. */
function batchSize(free: number): number {
  return free <= 0 ? 0 : Math.min(MAX_BATCH, 2 ** Math.floor(Math.log2(free)));
}

async function kickedOr(kicked: Promise<void>, milliseconds: number): Promise<void> {
  const timer = Promise.withResolvers<void>();
  const timeout = setTimeout(timer.resolve, milliseconds);
  await Promise.race([kicked, timer.promise]);
  clearTimeout(timeout);
}
