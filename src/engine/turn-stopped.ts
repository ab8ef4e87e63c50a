import type { CancelReason } from '#domain/turn.ts';

/** Why a turn must stop at once. After the last two it writes nothing more: it is, or will be, somebody else's. */
export type StopReason = CancelReason | 'superseded' | 'drained';

export class TurnStopped extends Error {
  override readonly name = 'TurnStopped';
  readonly reason: StopReason;

  constructor(reason: StopReason) {
    super(`The turn was stopped: ${reason}.`);
    this.reason = reason;
  }

  /** The reason if the turn shall still be closed here; undefined if it is no longer this attempt's. */
  get cancelled(): CancelReason | undefined {
    return this.reason === 'superseded' || this.reason === 'drained' ? undefined : this.reason;
  }
}
