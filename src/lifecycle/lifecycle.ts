import type { Certificate } from '#domain/erasure.ts';
import type { Retention } from '#domain/retention.ts';
import { eachAlone } from '#engine/each-alone.ts';
import type { Engine } from '#engine/engine.ts';
import { ENGINE_TIMES, type EngineTimes } from '#engine/engine-times.ts';
import { findPendingErasures, runErasure } from './erase.ts';
import { forgetOld } from './forget.ts';
import {
  purgeExpired,
  purgeNoteVersions,
  purgeOrphans,
  purgeTemporary,
  purgeThreads,
  thinVersions,
} from './retention.ts';
import { type SweepOptions, sweepAttachments } from './sweep-attachments.ts';

/** How often expired rows are deleted. */
const PURGE_MS = 120_000;
/** How often to look for erasures whose process has died, and how soon after the start. */
const ERASE_MS = 30_000;
const FIRST_ERASE_MS = 2000;
/** Looking for expired threads reads all old threads, also those that are kept. */
const PURGE_THREADS_MS = 600_000;
/** It reads all old versions, also those that are kept. */
const THIN_VERSIONS_MS = 3_600_000;
/** A round that reads everything is followed by a pause of so many times its duration, so that it grows rare instead of constant. */
const PAUSE_PER_ROUND = 9;

export type Lifecycle = {
  /** Erases a user. The erasure must have been requested; if it does not end here, the elected replica continues it. */
  readonly erase: (id: string) => Promise<Certificate | undefined>;
  readonly stop: () => Promise<void>;
};

/** Deletes expired and unused data, and what users have asked to erase. One replica does it for all. */
export function startLifecycle(options: {
  readonly engine: Pick<Engine, 'errands' | 'isLeader' | 'startLeaderTask' | 'notifyThread'>;
  /** How long data is kept, unless the operator has set something else. */
  readonly retention: Retention;
  readonly attachments: SweepOptions;
  readonly purgeThreadsEveryMs?: number | undefined;
  readonly times?: Partial<EngineTimes> | undefined;
}): Lifecycle {
  const { engine, attachments } = options;
  const times = { ...ENGINE_TIMES, ...options.times };
  let stopping = false; // a task ends after its current statement
  const isElected = () => engine.isLeader() && !stopping;
  const purging = { defaults: options.retention, isElected };

  async function purge(): Promise<void> {
    await forgetOld(engine.errands, isElected);
    if (isElected()) await purgeExpired(engine.errands, purging);
  }

  const erase = (id: string, mayContinue: () => boolean) =>
    runErasure(engine.errands, id, mayContinue, attachments.bucket, times);

  async function eraseRequested(): Promise<void> {
    await eachAlone(await findPendingErasures(engine.errands), async (id) => void (await erase(id, isElected)));
  }

  /** A task of the leader alone. Its first round may come sooner. */
  function start(task: string, everyMs: number, act: () => Promise<void>, firstMs = everyMs) {
    let hasRun = false;
    const run = () => {
      hasRun = true;
      return act();
    };
    return engine.startLeaderTask(task, () => (hasRun ? everyMs : firstMs), run, Infinity);
  }

  /** A task that reads all rows of a kind. Its limits are whole days, so no row waits much longer than allowed. */
  function startReading(task: string, everyMs: number, act: () => Promise<void>) {
    let tookMs = 0;
    const run = async () => {
      const started = performance.now();
      await act();
      tookMs = performance.now() - started;
    };
    return engine.startLeaderTask(task, () => Math.max(everyMs, PAUSE_PER_ROUND * tookMs), run, Infinity);
  }

  const tasks = [
    start('expired_rows', PURGE_MS, purge, times.firstPurge),
    start('erasures', ERASE_MS, eraseRequested, FIRST_ERASE_MS),
    startReading('expired_threads', options.purgeThreadsEveryMs ?? PURGE_THREADS_MS, () =>
      purgeThreads(engine.errands, { ...purging, onPurged: engine.notifyThread }),
    ),
    start('temporary_threads', options.purgeThreadsEveryMs ?? PURGE_THREADS_MS, () =>
      purgeTemporary(engine.errands, { isElected, onPurged: engine.notifyThread }),
    ),
    startReading('orphaned_threads', options.purgeThreadsEveryMs ?? PURGE_THREADS_MS, () =>
      purgeOrphans(engine.errands, { isElected }),
    ),
    startReading('old_versions', THIN_VERSIONS_MS, () => thinVersions(engine.errands, purging)),
    start('old_note_versions', THIN_VERSIONS_MS, () => purgeNoteVersions(engine.errands, purging)),
    start('unused_attachments', attachments.everyMs ?? PURGE_MS, () =>
      sweepAttachments(engine.errands, attachments, isElected),
    ),
  ];
  return {
    erase: (id) => erase(id, () => !stopping),
    stop: async () => {
      stopping = true;
      await Promise.all(tasks.map((task) => task.stop()));
    },
  };
}
