import { Superseded } from '#domain/errors.ts';
import type { ReplicaId, TurnId } from '#domain/ids.ts';
import type { UserId } from '#domain/principal.ts';
import type { Turn } from '#domain/thread/turn.ts';
import type { TurnEnding, TurnEvent } from '#domain/thread/turn-event.ts';
import type { EnginePool } from '../engine-connection.ts';
import type { EventWriter } from '../events/event-writer.ts';
import type { Quarantine } from '../presence/quarantine.ts';
import { giveBack } from '../statements/claim.ts';
import { parkTurn } from '../statements/delegations.ts';
import type { TurnEnd } from '../statements/settle.ts';
import type { ClaimedTurn } from '../statements/turn-context.ts';
import { type RetryPolicy, retryWhileBusy, withRetries } from '../with-retries.ts';
import { bytesOf, createTurnRun, type RunTurn } from './turn-run.ts';
import type { TurnStatements } from './turn-statements.ts';
import { lostSignal } from './turn-stopped.ts';

export type AttemptDeps = {
  readonly pool: EnginePool;
  readonly replica: ReplicaId;
  readonly writer: EventWriter;
  readonly quarantine: Quarantine;
  readonly retryPolicy: RetryPolicy;
  readonly statements: TurnStatements;
  readonly runTurn: RunTurn;
  /** Whether this replica shuts down. */
  readonly isStopped: () => boolean;
  /** The thread's next turn started here. */
  readonly onStarted: (turnId: TurnId, user: UserId) => void;
  /** A turn waits for a replica. */
  readonly onWaiting: () => void;
  /** A turn has ended and its row is written. */
  readonly onEnded: (turn: Turn, ending: TurnEnding) => void;
  readonly onError: (error: unknown) => void;
};

/** Runs a claimed turn, from its quarantine if it has one to the writing of its end. Never throws. */
export async function runAttempt(
  deps: AttemptDeps,
  claimed: ClaimedTurn,
  how: {
    readonly signal: AbortSignal;
    readonly publish: (event: TurnEvent) => void;
    readonly isSteered: () => boolean;
    /** From now on the end is being written. */
    readonly onSettling: () => void;
  },
): Promise<void> {
  const { turn } = claimed;
  const { signal, publish, isSteered } = how;
  const lost = lostSignal(signal);
  let isEnded = false;
  const emit = (event: TurnEvent) => {
    if (isEnded || !lost.aborted) publish(event);
  };
  const send = <T>(act: () => Promise<T>) => withRetries(deps.retryPolicy, { signal: lost }, act);
  let leaveQuarantine = () => {};
  try {
    if (claimed.suspicion === 'suspect' && !turn.cancelReason)
      leaveQuarantine = await deps.quarantine.enter(turn, claimed.groupLimit, signal);
    lost.throwIfAborted();
    const context = claimed.context ?? (await send(() => deps.statements.readContext(turn)));
    const counted = { bytes: 0 };
    const attempt = { signal, lost, emit, isSteered, counted, onProgress: leaveQuarantine };
    const settle = (ending: TurnEnd) => {
      const settling = { ...ending, turn, grows: counted.bytes + bytesOf(ending.last.items) };
      return send(() => retryWhileBusy({ signal: lost }, () => deps.statements.settle(settling)));
    };
    const ended = await deps.runTurn(turn, createTurnRun(deps, claimed, context, attempt));
    how.onSettling();
    if (!('last' in ended)) return await park(deps, turn, send);
    let end = ended;
    let settled = await settle(end);
    if (settled.outcome === 'steered' && end.whenSteered) {
      end = end.whenSteered();
      settled = await settle(end);
    }
    if (settled.outcome === 'cancelled' && end.whenCancelled) {
      end = end.whenCancelled();
      settled = await settle(end);
    }
    if (settled.outcome === 'unsteered') return await resume(deps, turn);
    if (settled.outcome !== 'ended') return void forgetIfDeleted(deps, turn);
    isEnded = true; // no other attempt takes over, so this one tells everything, even if it was stopped meanwhile
    end.onWritten?.();
    publish({ type: 'turn-ended', ...settled.ending });
    deps.onEnded(end.tree ? { ...turn, tree: end.tree } : turn, settled.ending);
    if (settled.next) deps.onStarted(settled.next, turn.userId);
    if (settled.waits) deps.onWaiting();
  } catch (error) {
    if (error instanceof Superseded || lost.aborted) return void forgetIfDeleted(deps, turn);
    deps.onError(error);
    // A turn that broke because of the database is found as an orphan once the database is back.
    if (!deps.retryPolicy.isAway(error)) await giveBack(deps.pool, deps.replica, turn, true).catch(deps.onError);
  } finally {
    leaveQuarantine();
  }
}

/** Its next attempt begins when its children have ended, which may be the case already. */
async function park(deps: AttemptDeps, turn: Turn, send: <T>(act: () => Promise<T>) => Promise<T>): Promise<void> {
  if ((await send(() => parkTurn(deps.pool, deps.replica, turn))) === 'ready') deps.onWaiting();
}

/** The turn continues with its next attempt. */
async function resume(deps: AttemptDeps, turn: Turn): Promise<void> {
  await giveBack(deps.pool, deps.replica, turn, false);
  deps.onWaiting();
}

/** An attempt may lose its turn because the turn was deleted. Its last events may have been stored a moment later. */
async function forgetIfDeleted(deps: AttemptDeps, { id }: Turn): Promise<void> {
  await deps.writer.flush();
  if (!deps.isStopped()) await deps.statements.deleteEventsOfDeleted(id).catch(deps.onError);
}
