import type { ReplicaId } from '#domain/ids.ts';
import type { EnginePool } from './engine-connection.ts';
import type { EngineTimes } from './engine-times.ts';
import { moveStrandedTurns } from './presence/heartbeat.ts';
import { repeat } from './repeat.ts';
import { sweepLostTurns } from './statements/claim.ts';
import { repairTimes } from './statements/repair-times.ts';

/** Non-leaders run a task on every tenth tick, in case the leader is stuck. */
const RARELY = 10;

export type LeaderTasks = ReturnType<typeof startLeaderTasks>;

/** The regular work that one replica does for all. */
export function startLeaderTasks(options: {
  pool: EnginePool;
  replica: ReplicaId;
  times: EngineTimes;
  isLeader: () => boolean;
  /** Whether this replica may declare others dead. */
  mayJudge: () => boolean;
  /** Called with the number of turns whose replica no longer exists. */
  onTakenOver: (turns: number) => void;
  /** Turns were found that wait for a replica. */
  onWaiting: () => void;
  /** Called with the name of a task when a round of it has ended without an error. */
  onRound: (task: string) => void;
  onError: (error: unknown) => void;
}) {
  const { pool, replica, times, isLeader, onError } = options;

  /** The leader runs it each time; the others rarely, in case the leader is stuck. */
  function start(task: string, everyMs: number | (() => number), act: () => Promise<void>, everyNth = RARELY) {
    let skipped = 0;
    const actIfWanted = async () => {
      if (!isLeader() && ++skipped < everyNth) return;
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

  const sweeping = start('lost_turns', times.sweep, sweep);
  return { start, stop: () => sweeping.stop() };
}
