import type { ReplicaId } from '#domain/ids.ts';
import type { Retention } from '#domain/retention.ts';
import type { EnginePool } from './engine-connection.ts';
import type { EngineTimes } from './engine-times.ts';
import { moveStrandedTurns } from './presence/pulse.ts';
import { repeat } from './repeat.ts';
import { sweepLostTurns } from './statements/claim.ts';
import { findPendingErasures, runErasure } from './statements/erase.ts';
import { forgetOld } from './statements/forget.ts';
import { repairTimes } from './statements/repair-times.ts';
import { type PurgedThread, purgeExpired, purgeThreads } from './statements/retention.ts';
import { type SweepOptions, sweepAttachments } from './statements/sweep-attachments.ts';

/** How often the lead deletes expired rows. */
const PURGE_MS = 120_000;
/** How often the lead looks for erasures whose process has died, and how soon after its start. */
const ERASE_MS = 30_000;
const FIRST_ERASE_MS = 2000;
/** Looking for expired threads reads all old threads, also those that are kept. */
const PURGE_THREADS_MS = 600_000;
/** Of so many looks, a replica that is not the lead makes one. */
const RARELY = 10;

/** The regular work that one replica does for all. */
export function startChores(options: {
  pool: EnginePool;
  replica: ReplicaId;
  times: EngineTimes;
  isLead: () => boolean;
  /** Whether this replica may declare others dead. */
  mayJudge: () => boolean;
  /** How long data is kept, unless the operator has set something else. */
  retention: Retention;
  purgeThreadsEveryMs: number | undefined;
  attachments: SweepOptions;
  /** Called with the number of turns whose replica no longer exists. */
  onTakenOver: (turns: number) => void;
  /** Turns were found that wait for a replica. */
  onWaiting: () => void;
  onPurged: (thread: PurgedThread) => void;
  /** Called with the name of a task when a round of it has ended without an error. */
  onRound: (task: string) => void;
  onError: (error: unknown) => void;
}) {
  const { pool, replica, times, isLead, onError } = options;
  let stopping = false; // a chore ends after its current statement

  /** The lead does it each time; the others rarely, in case the lead can't. */
  function start(task: string, everyMs: number | (() => number), act: () => Promise<void>, everyNth = RARELY) {
    let skipped = 0;
    const actIfWanted = async () => {
      if (!isLead() && ++skipped < everyNth) return;
      skipped = 0;
      await act();
      options.onRound(task);
    };
    return repeat(everyMs, actIfWanted, onError);
  }

  async function sweep(): Promise<void> {
    options.onTakenOver(await moveStrandedTurns(pool, replica, options.mayJudge(), times));
    await repairTimes(pool);
    if ((await sweepLostTurns(pool)) > 0) options.onWaiting();
  }

  const isElected = () => isLead() && !stopping;
  const purging = { defaults: options.retention, isElected };
  let hasPurged = false;
  async function purge(): Promise<void> {
    hasPurged = true;
    await forgetOld(pool, isElected);
    if (isElected()) await purgeExpired(pool, purging);
  }
  const purgeOldThreads = () => purgeThreads(pool, { ...purging, onPurged: options.onPurged });

  let hasErased = false;
  async function erase(): Promise<void> {
    hasErased = true;
    const { bucket } = options.attachments;
    for (const id of await findPendingErasures(pool)) await runErasure(pool, id, isElected, bucket, times);
  }

  const chores = [
    start('lost_turns', times.sweep, sweep),
    start('expired_rows', () => (hasPurged ? PURGE_MS : times.firstPurge), purge, Infinity),
    start('erasures', () => (hasErased ? ERASE_MS : FIRST_ERASE_MS), erase, Infinity),
    start('expired_threads', options.purgeThreadsEveryMs ?? PURGE_THREADS_MS, purgeOldThreads, Infinity),
    start(
      'unused_attachments',
      options.attachments.everyMs ?? PURGE_MS,
      () => sweepAttachments(pool, options.attachments, isElected),
      Infinity,
    ),
  ];
  return {
    start,
    isStopping: () => stopping,
    stop: async (): Promise<void> => {
      stopping = true;
      await Promise.all(chores.map((chore) => chore.stop()));
    },
  };
}
