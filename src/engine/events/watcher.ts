import type { TurnId } from '#domain/ids.ts';
import type { NumberedEvent } from '#domain/thread/turn-event.ts';

const MAX_QUEUED = 1000;

/** A follower of one turn. */
export type Watcher = {
  readonly turnId: TurnId;
  readonly onlyEnd: boolean;
  /** Whether it takes all events together when the turn has ended, so that no event before wakes it. */
  readonly isPatient: boolean;
  cursor: number;
  /** New events, up to a limit. A slow reader costs no memory: it reads the log instead. */
  queue: NumberedEvent[];
  /** Whether the log may hold events that are missing from the queue. */
  behind: boolean;
  /** Whether the turn's row says that it has ended and its last events had time to arrive. */
  ended: boolean;
  wake: () => void;
};

export const newWatcher = (given: Pick<Watcher, 'turnId' | 'onlyEnd' | 'queue'> & Partial<Watcher>): Watcher => ({
  isPatient: false,
  cursor: -1,
  behind: false,
  ended: false,
  wake: () => {},
  ...given,
});

/** Resolves when the watcher is woken, or at once after `signal`. */
export function waken(watcher: Watcher, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  watcher.wake = resolve;
  if (signal.aborted) resolve();
  return promise;
}

export function enqueue(watcher: Watcher, event: NumberedEvent): void {
  if (watcher.queue.length < MAX_QUEUED) watcher.queue.push(event);
  else {
    watcher.queue = [];
    watcher.behind = true;
  }
  if (!watcher.isPatient || watcher.behind || event.event.type === 'turn-ended') watcher.wake();
}
