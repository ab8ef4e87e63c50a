import type { DelegationLimits, StartOutcome } from '#domain/delegation/delegation.ts';
import { StaleWorkspace, Superseded } from '#domain/errors.ts';
import { type ItemId, newId, type ReplicaId, type TurnId } from '#domain/ids.ts';
import type { ModelCall, SpendingLimits, Spent } from '#domain/spending.ts';
import type { Item, WrittenItem } from '#domain/thread/item.ts';
import { bodyOf } from '#domain/thread/item-fields.ts';
import type { Summary } from '#domain/thread/summary.ts';
import type { Turn } from '#domain/thread/turn.ts';
import type { TurnEvent } from '#domain/thread/turn-event.ts';
import type { Gate } from '#domain/tool/gate.ts';
import type { Usage } from '#domain/usage.ts';
import type { EnginePool } from '../engine-connection.ts';
import { readEvents } from '../events/event-log.ts';
import {
  type LeftOfRun,
  listUndelivered,
  type NewChild,
  startChild,
  type UndeliveredChild,
} from '../statements/delegations.ts';
import type { TurnEnd } from '../statements/settle.ts';
import { type ClaimedTurn, readLargeHistory, type TurnContext } from '../statements/turn-context.ts';
import { writeSummary } from '../statements/write-summary.ts';
import { type RetryPolicy, retryWhileBusy, withRetries } from '../with-retries.ts';
import type { TurnStatements } from './turn-statements.ts';

/** Runs one turn to its end. If it throws, the turn has not ended and will be started again, here or elsewhere. */
export type RunTurn = (turn: Turn, run: TurnRun) => Promise<TurnEnd | Parked>;

/** The turn has nothing to do before its children end. It holds no place meanwhile, and continues with its next attempt. */
export type Parked = { readonly outcome: { readonly status: 'parked' } };

/** What the engine gives to an attempt. */
export type TurnRun = {
  readonly signal: AbortSignal;
  /** The user's identity notes and skills, the version of their secrets, the project, and whether the turn reads memory and adds to it. */
  readonly setting: Pick<TurnContext, 'notes' | 'skills' | 'secrets' | 'temporary' | 'remembers' | 'project'>;
  /** Whether the thread's owner has asked for a summary of what was said before. */
  readonly compactAsked: boolean;
  /** Replaces the part of the thread that `history` leaves out. */
  readonly summary: Summary | null;
  /** The thread up to and including this turn's input, at least from the summary on. */
  history(): Promise<readonly Item[]>;
  /** Whether older items were left out of `history` because they are too large. */
  isHistoryCut(): boolean;
  /** The user's spending limits, if they differ from the default. */
  readonly limits: SpendingLimits | null;
  /** What the user has spent today. */
  spent(): Promise<Spent>;
  /** A gate that was open when the turn was queued and that the turn does not answer. */
  readonly gateAhead: Gate | null;
  /**
   * Writes the items and counts the model call that made them. Waits while the database is unavailable; throws
   * `Superseded` when another attempt has taken over, and `StaleWorkspace` when the version of an item has another base. `delivers`: the calls whose reports are among the items.
   */
  append(
    position: number,
    items: readonly WrittenItem[],
    call: ModelCall | null,
    delivers?: readonly ItemId[],
  ): Promise<void>;
  /** The runs that calls of this one have started. */
  readonly children: {
    start(
      child: NewChild,
      bounds: { readonly limits: DelegationLimits; readonly left: LeftOfRun },
    ): Promise<Exclude<StartOutcome, 'busy' | 'lost'>>;
    /** Those whose reports were not delivered. */
    list(): Promise<readonly UndeliveredChild[]>;
  };
  /** Whether a message waits that is to be read before the turn continues. */
  readonly isSteered: () => boolean;
  /** What the earlier turns of its run have used. */
  readonly usedBefore: readonly Usage[];
  /** What its children had used whose reports were delivered when the attempt began. */
  readonly usedBelow: Spent;
  /** Writes a summary of the thread's older part, with the same rules. */
  writeSummary(summary: Summary, call: ModelCall): Promise<void>;
  /** Why the turn must be failed instead of run: it kills its hosts, or throws an error each time. */
  readonly verdict: 'kills-its-host' | 'breaks' | undefined;
  /** Sends an event to the watchers. Does nothing after the attempt was stopped, unless the turn had ended by then. */
  readonly emit: (event: TurnEvent) => void;
  /** The events that earlier attempts sent to the watchers. */
  seenEvents(): Promise<TurnEvent[]>;
};

/** A turn fails after this many attempts that ended in an unexpected error. */
const MOST_BROKEN = 3;
const ALL = 1_000_000_000;
const NOTHING: Spent = { tokens: 0, usd: 0 };

/** One attempt at a turn on this replica. */
export type Attempt = {
  readonly signal: AbortSignal;
  /** Aborts when another attempt has taken over. */
  readonly lost: AbortSignal;
  readonly emit: TurnRun['emit'];
  readonly isSteered: () => boolean;
  /** The bytes that this attempt has written. */
  readonly counted: { bytes: number };
  /** Something was written, so the turn has not killed its host so far. */
  readonly onProgress: () => void;
};

export function createTurnRun(
  deps: { readonly pool: EnginePool; readonly replica: ReplicaId; readonly retryPolicy: RetryPolicy } & {
    readonly statements: TurnStatements;
  },
  { turn, suspicion, broken, usedBefore = [], usedBelow = NOTHING }: ClaimedTurn,
  context: TurnContext,
  { signal, lost, emit, isSteered, counted, onProgress }: Attempt,
): TurnRun {
  const { pool, statements } = deps;
  const send = <T>(act: () => Promise<T>) => withRetries(deps.retryPolicy, { signal: lost }, act);
  let isHistoryCut = false;
  let compactAsked = context.compactAsked ?? false;
  let spent: Spent | undefined = context.spent; // as of a moment ago; later calls ask again
  return {
    signal,
    setting: context,
    compactAsked,
    summary: context.summary,
    limits: context.limits,
    gateAhead: context.gateAhead,
    verdict: suspicion === 'poison' ? 'kills-its-host' : broken >= MOST_BROKEN ? 'breaks' : undefined,
    async history() {
      if (context.history) return context.history;
      const { items, isCut } = await send(() => readLargeHistory(pool, turn));
      isHistoryCut = isCut;
      return items;
    },
    isHistoryCut: () => isHistoryCut,
    spent: async () => {
      const known = spent;
      spent = undefined;
      return known ?? send(() => statements.findSpent(turn.userId));
    },
    emit,
    isSteered,
    usedBefore,
    usedBelow,
    children: {
      start: async (child, bounds) => {
        const start = async () => ({ outcome: await startChild(pool, deps.replica, turn, child, bounds) });
        const { outcome } = await send(() => retryWhileBusy({ signal: lost }, start));
        if (outcome === 'lost' || outcome === 'busy') throw new Superseded(turn.id);
        onProgress();
        return outcome;
      },
      list: () => send(() => listUndelivered(pool, turn)),
    },
    seenEvents: () => send(async () => (await readAllEvents(pool, turn.id)).map(({ event }) => event)),
    append: async (position, items, call, delivers) => {
      const callId = call && items.length === 0 ? newId<string>() : undefined;
      const entry = { turn, position, items, call, callId, delivers };
      const { outcome } = await send(() => retryWhileBusy({ signal: lost }, () => statements.append(entry)));
      if (outcome === 'stale') throw new StaleWorkspace();
      if (outcome !== 'written') throw new Superseded(turn.id);
      counted.bytes += bytesOf(items);
      onProgress();
    },
    writeSummary: async (summary, call) => {
      const isWritten = await send(() => writeSummary(pool, deps.replica, turn, summary, call, compactAsked));
      if (!isWritten) throw new Superseded(turn.id);
      compactAsked = false; // what is asked for from here on is for the next turn
    },
  };
}

const readAllEvents = async (pool: EnginePool, turnId: TurnId) =>
  (await readEvents(pool, [{ turnId, after: -1 }], ALL)).get(turnId) ?? [];

export const bytesOf = (items: readonly WrittenItem[]): number =>
  items.reduce((sum, item) => sum + Buffer.byteLength(bodyOf(item)), 0);
