import { createBatch } from '#domain/batch.ts';
import type { ReplicaId, TurnId } from '#domain/ids.ts';
import type { Turn } from '#domain/thread/turn.ts';
import type { EnginePool } from './engine-connection.ts';
import type { Places } from './places.ts';
import type { RunningTurns } from './running/running-turns.ts';
import { type Accepted, type Accepting, acceptTurns } from './statements/accept.ts';
import { type RetryPolicy, retryWhileBusy, withRetries } from './with-retries.ts';

/** How long an input is retried while the database is unavailable. The sender waits meanwhile. */
const ACCEPT_MS = 2000;
/** And while its thread is locked, which usually lasts only a moment. */
const BUSY_MS = 10_000;

/** What became of an input whose thread was not locked, or no longer. */
export type Decided = Exclude<Accepted, { outcome: 'busy' }>;

type AcceptOptions = {
  readonly pool: EnginePool;
  readonly replica: ReplicaId;
  readonly retryPolicy: RetryPolicy;
  readonly places: Places;
  readonly running: Pick<RunningTurns, 'begin'>;
  /** Called with each turn that is accepted on this replica, before it is claimed here. */
  readonly onAccepted?: ((turn: Turn) => void) | undefined;
  /** A turn waits for a replica. */
  readonly onWaiting: () => void;
  /** A message is to be read before this turn continues. */
  readonly onSteered: (turnId: TurnId) => void;
};

/** Accepts inputs; inputs of the same moment together. */
export function createAcceptInputs(options: AcceptOptions) {
  const { retryPolicy } = options;
  const accepting = new Set<TurnId>(); // sent, but not answered yet
  const acceptBatch = createBatch((batch: readonly Accepting[]) => acceptTogether(options, batch), retryPolicy.isAway);

  async function accept(input: Accepting): Promise<Accepted> {
    accepting.add(input.turnId);
    try {
      const accepted = await withRetries(retryPolicy, { forMs: ACCEPT_MS }, () => acceptBatch(input));
      if (accepted.outcome === 'accepted' && accepted.waits) options.onWaiting();
      if (accepted.outcome === 'accepted' && accepted.steered) options.onSteered(accepted.steered);
      return accepted;
    } finally {
      accepting.delete(input.turnId);
    }
  }

  return {
    accept: (input: Accepting): Promise<Decided> => retryWhileBusy({ forMs: BUSY_MS }, () => accept(input)),
    isAccepting: (id: TurnId): boolean => accepting.has(id),
  };
}

/** The inputs of users who hold all places that they may hold are stored after the others, and wait. */
async function acceptTogether(options: AcceptOptions, batch: readonly Accepting[]): Promise<Accepted[]> {
  const { places } = options;
  const exceeding = places.findExceeding(batch.map(({ userId }) => userId));
  const able = batch.filter((_, index) => !exceeding[index]);
  const others = batch.filter((_, index) => exceeding[index]);
  const holders = able.map(({ userId }) => userId);
  const accepted = await places.start(holders, (slots) => store(options, slots, able));
  const waiting = await store(options, 0, others);
  return exceeding.map((isExceeding) => (isExceeding ? waiting : accepted).shift() as Accepted);
}

/** Stores inputs, and runs the turns that started here. */
async function store(options: AcceptOptions, slots: number, inputs: readonly Accepting[]): Promise<Accepted[]> {
  if (inputs.length === 0) return [];
  const accepted = await acceptTurns(options.pool, options.replica, slots, inputs);
  for (const each of accepted) {
    if (each.outcome !== 'accepted') continue;
    if (!each.turn.failure) options.onAccepted?.(each.turn);
    if (each.claimed) options.running.begin(each.claimed);
  }
  return accepted;
}
