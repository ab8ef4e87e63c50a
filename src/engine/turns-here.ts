import type { ReplicaId, TurnId } from '#domain/ids.ts';
import type { Turn } from '#domain/thread/turn.ts';
import type { TurnEnding } from '#domain/thread/turn-event.ts';
import { createAcceptInputs } from './accept-inputs.ts';
import { beginClaimed, type ClaimDeps, claim } from './claim-turns.ts';
import { startDispatcher } from './dispatcher.ts';
import type { EnginePool } from './engine-connection.ts';
import type { Streams } from './events/streams.ts';
import { createPlaces } from './places.ts';
import { type Signal, sendSignal } from './presence/listener.ts';
import type { Quarantine } from './presence/quarantine.ts';
import { createRunningTurns } from './running/running-turns.ts';
import type { RunTurn } from './running/turn-run.ts';
import type { RetryPolicy } from './with-retries.ts';

export type TurnsHere = ReturnType<typeof createTurnsHere>;

type Options = {
  pool: EnginePool;
  replica: ReplicaId;
  capacity: number;
  streams: Streams;
  quarantine: Quarantine;
  retryPolicy: RetryPolicy;
  runTurn: RunTurn;
  onAccepted?: ((turn: Turn) => void) | undefined;
  onTakenOver?: ((turns: number) => void) | undefined;
  onEnded: (turn: Turn, ending: TurnEnding) => void;
  onError: (error: unknown) => void;
};

/** The turns of this replica: accepts, claims and runs them, as far as it has places. */
export function createTurnsHere(options: Options) {
  const { pool, onError } = options;
  const { writer, watchers, changes } = options.streams;
  const running = createRunningTurns({
    ...options,
    writer,
    room: () => places.room(),
    push: watchers.push,
    isShown: watchers.isShown,
    // Turns of this user may wait although there is room, if the user had all places that one may have.
    onFree: (user) => (places.findExceeding([user, user])[1] ? dispatcher.kick() : dispatcher.freed()),
    onStarted: (id, user) => void places.start([user], () => beginClaimed(deps, [id])).catch(onError),
    onWaiting: wake,
    onOrphans: (ids) => void claim(deps, 0, ids).catch(onError),
    onEnded: (turn, ending) => {
      changes.notify(turn);
      options.onEnded(turn, ending);
    },
  });
  const places = createPlaces(options.capacity, running);
  const deps: ClaimDeps = { ...options, places, running, changes };
  const dispatcher = startDispatcher({ room: places.room, claim: (room) => claim(deps, room), onError });
  const inputs = createAcceptInputs({ ...deps, onAccepted: options.onAccepted, onWaiting: wake, onSteered });

  /** A turn waits for a replica. If this one is full, it signals the others. */
  function wake(): void {
    if (places.room() > 0) dispatcher.kick();
    else sendSignal(pool, { wake: true }).catch(onError);
  }

  /** If the signal is lost, the replica that runs the turn learns of it with its next heartbeat. */
  function onSteered(id: TurnId): void {
    (running.has(id) ? running.check(id) : sendSignal(pool, { steer: id })).catch(onError);
  }

  return {
    running,
    dispatcher,
    onSteered,
    accept: inputs.accept,
    isAccepting: inputs.isAccepting,
    wake,
    kick: (turn: Turn): void => {
      options.onAccepted?.(turn);
      wake();
    },
    /** Turns of dead replicas wait now. */
    takenOver: (moved: number): void => {
      if (moved === 0) return;
      options.onTakenOver?.(moved);
      dispatcher.kick();
    },
    /** Handles what concerns turns in a signal of another replica. */
    receive(signal: Signal): void {
      if ('wake' in signal) dispatcher.kick();
      if ('cancel' in signal) running.check(signal.cancel).catch(onError);
      if ('steer' in signal) running.check(signal.steer).catch(onError);
    },
    stopCancelled: async ({ id }: { readonly id: TurnId }): Promise<void> => {
      if (running.has(id)) return running.check(id);
      if ((await claim(deps, 0, [id])) === 0) await sendSignal(pool, { cancel: id });
    },
    notifyEnded: (turn: Turn, ending: TurnEnding): void => {
      running.notifyEnded(turn, ending);
      wake();
    },
  };
}
