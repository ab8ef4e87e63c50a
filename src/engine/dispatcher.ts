export type Dispatcher = {
  /** Signals that there may be turns to claim. */
  readonly kick: () => void;
  /** Signals that a slot became free. Triggers a claim only if all slots were taken before. */
  freed(): void;
  /** Whether the last claim succeeded. */
  isWell(): boolean;
  stop(): Promise<void>;
};

/** One loop per process. Each time it is kicked, it claims waiting turns until all slots are taken or no turn is left. */
export function startDispatcher(options: {
  room: () => number;
  /** Claims up to `room` turns and resolves to the number claimed. */
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
