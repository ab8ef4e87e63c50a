export type Dispatcher = {
  /** There may be something to claim. */
  kick(): void;
  /** A place has become free: worth a look only if there was none. */
  freed(): void;
  /** Whether the last claim got through. */
  isWell(): boolean;
  stop(): Promise<void>;
};

/** One loop per process: claims turns that wait for a replica whenever it is kicked, as many as there is room for. */
export function startDispatcher(options: {
  room: () => number;
  /** Takes up to so many; resolves to how many it took. */
  claim: (room: number) => Promise<number>;
  onError: (error: unknown) => void;
}): Dispatcher {
  let kicked = Promise.withResolvers<void>();
  let stopped = false;
  let full = false;
  let well = true;

  async function claimAll(): Promise<void> {
    for (;;) {
      const room = Math.min(MAX_BATCH, options.room());
      full = room <= 0;
      if (full || stopped) return;
      const claimed = await options.claim(room);
      well = true;
      if (claimed < room) return;
    }
  }

  async function loop(): Promise<void> {
    for (;;) {
      await kicked.promise;
      if (stopped) return;
      kicked = Promise.withResolvers<void>();
      try {
        await claimAll();
      } catch (error) {
        well = false;
        options.onError(error);
        setTimeout(() => kicked.resolve(), AGAIN_MS);
      }
    }
  }

  const looping = loop();
  return {
    kick: () => kicked.resolve(),
    freed: () => {
      if (full) kicked.resolve();
    },
    isWell: () => well,
    stop: async () => {
      stopped = true;
      kicked.resolve();
      await looping;
    },
  };
}

const AGAIN_MS = 500;
const MAX_BATCH = 64;
