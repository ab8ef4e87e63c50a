import { ENGINE_TIMES, type EngineTimes } from '#engine/engine-times.ts';

/** The engine's intervals, five times shorter. Deadlines stay as they are: a busy machine must not miss them. */
export const QUICK_TIMES: EngineTimes = {
  ...ENGINE_TIMES,
  heartbeat: 80,
  heartbeatAlone: 200,
  quiet: 100,
  lookAgain: 50,
  silent: 140,
  steady: 400,
  duePause: 180,
  removalNoticed: 400,
  sweep: 3000,
  firstPurge: 3000,
};

/** For tests that wait until the lease of a replica ends. */
export const QUICK_LEASE: EngineTimes = { ...QUICK_TIMES, lease: 3000 };
