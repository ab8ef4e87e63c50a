import type { CancelReason } from '#domain/thread/turn.ts';

/**
 * Why a turn must stop at once. `steered`: a message is to be read now. After `superseded` and `drained` it writes nothing more,
 * because another attempt takes over.
 */
export type StopReason = CancelReason | 'steered' | 'superseded' | 'drained';

export class TurnStopped extends Error {
  override readonly name = 'TurnStopped';
  readonly reason: StopReason;

  constructor(reason: StopReason) {
    super(`The turn was stopped: ${reason}.`);
    this.reason = reason;
  }

  /** The reason if the turn must still be closed here; undefined if another attempt has taken over. */
  get closed(): CancelReason | 'steered' | undefined {
    return this.reason === 'superseded' || this.reason === 'drained' ? undefined : this.reason;
  }
}

/** Aborts when this attempt may no longer write to the turn; a cancelled or steered turn is still closed here. */
export function lostSignal(signal: AbortSignal): AbortSignal {
  const lost = new AbortController();
  const check = () => {
    const reason: unknown = signal.reason;
    if (!(reason instanceof TurnStopped) || reason.closed === undefined) lost.abort(reason);
  };
  if (signal.aborted) check();
  else signal.addEventListener('abort', check, { once: true });
  return lost.signal;
}
