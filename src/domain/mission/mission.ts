import type { MissionId, ThreadId, TurnId } from '../ids.ts';
import type { UserId } from '../principal.ts';
import type { Budgets, WorkSettings } from '../work/work-settings.ts';
import type { Schedule } from './schedule.ts';

/** A named instruction of one user, with a schedule. It runs without a person present. */
export type Mission = MissionSettings & {
  readonly id: MissionId;
  readonly userId: UserId;
  /** Rises with each change, so that a due time of the old schedule is never used under the new one. */
  readonly revision: number;
  /** The thread of all runs; null before the first run, and when each run has a new thread. */
  readonly threadId: ThreadId | null;
  /** Failed runs since the last completed one. */
  readonly failures: number;
  /** `ended`: no due time is left. */
  readonly state: 'active' | 'paused' | 'ended';
  readonly pauseReason: PauseReason | null;
  readonly nextDueAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** Begins the idempotency keys of a mission's turns; the due time in milliseconds follows. */
export const keyPrefixOf = (id: MissionId): string => `mission:${id}:`;

export type PauseReason = 'paused_by_user' | 'repeated_failure' | 'broken_schedule' | 'user_removed';

/** The part that its owner decides. */
export type MissionSettings = Budgets &
  Pick<WorkSettings, 'tools'> & {
    readonly name: string;
    readonly instruction: string;
    readonly schedule: Schedule;
    /** Whether all runs share one thread. */
    readonly keepsThread: boolean;
    /** What happens to due times that passed while no replica was running. */
    readonly misfire: 'skip' | 'latest' | 'all';
    /** What happens when a run is due while the one before has not ended. */
    readonly overlap: 'skip' | 'queue' | 'cancel';
    /** Failed runs in a row after which the mission is paused. */
    readonly pauseAfter: number;
  };

/** One due time of a mission. Its outcome is the outcome of its turn. */
export type Occurrence = {
  readonly missionId: MissionId;
  /** The due time; with the mission, its key. */
  readonly slot: Date;
  readonly kind: 'scheduled' | 'manual' | 'event';
  readonly state: OccurrenceState;
  /** Why it was skipped, missed or failed. */
  readonly reason: string | null;
  /** When it may start: later than the slot for one that is caught up. */
  readonly dueAt: Date;
  readonly threadId: ThreadId | null;
  readonly turnId: TurnId | null;
  readonly tokens: number;
  /** null while the cost is unknown. */
  readonly costUsd: number | null;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
};

export type OccurrenceState = 'due' | 'started' | 'completed' | 'failed' | 'cancelled' | 'missed' | 'skipped';

/** What a turn knows of the mission that it runs for. */
export type MissionRun = {
  readonly id: MissionId;
  readonly tools: readonly string[] | null;
  /** The budget of this run: its mission's budget, and not more than is left of the day. */
  readonly tokensPerRun: number | null;
  readonly usdPerRun?: number | null;
};

export const MAX_MISSIONS = 100;
