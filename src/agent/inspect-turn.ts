import { NotFound } from '#domain/errors.ts';
import type { ReplicaId, TurnId } from '#domain/ids.ts';
import { textOf } from '#domain/item.ts';
import type { Principal } from '#domain/principal.ts';
import type { TimedItem } from '#domain/timed-item.ts';
import type { Turn } from '#domain/turn.ts';
import type { Engine } from '#engine/engine.ts';
import type { AttemptTrace } from '#engine/turn-trace.ts';
import type { Prompt } from '#models/model.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { listHistory } from '#store/thread-items.ts';
import { findTimedGate, findTurnTimes, type TimedGate } from '#store/turn-details.ts';
import { findTurn } from '#store/turns.ts';
import type { ToolRegistry } from '#tools/registry.ts';
import { buildPrompt } from './prompt.ts';
import { type Span, spansOf } from './turn-spans.ts';

/** Everything that is known of how a turn went. */
export type Inspection = {
  readonly turn: Turn;
  readonly startedAt: Date | null;
  readonly runner: ReplicaId | null;
  readonly items: readonly TimedItem[];
  readonly gate: TimedGate | undefined;
  readonly spans: readonly Span[];
  /** What its newest model call was asked, built anew from what is stored, with the tools of now. */
  readonly prompt: Prompt;
  /** What attempts had said that did not live to write it down. */
  readonly superseded: readonly { readonly attempt: number; readonly text: string }[];
};

export type InspectTurn = (owner: Principal, id: TurnId) => Promise<Inspection>;

export function createInspectTurn(parts: { db: Database; engine: Engine; tools: ToolRegistry }): InspectTurn {
  const { db, engine, tools } = parts;
  return async (owner, id) => {
    const { turn, times, history, gate } = await withOwner(db, owner, async (trx) => {
      const found = await findTurnTimes(trx, owner, id);
      const row = found && (await findTurn(trx, owner, found.threadId, id));
      if (!row) throw new NotFound('There is no such turn.');
      const said = await listHistory(trx, owner, row.threadId, row.seq);
      return { turn: row, times: found, history: said, gate: await findTimedGate(trx, owner, id) };
    });
    const items = history.filter((item) => item.turnSeq === turn.seq);
    const trace = await engine.readTrace(id);
    const offered = (await tools.current()).definitions();
    return {
      turn,
      startedAt: times.startedAt,
      runner: times.runner,
      items,
      gate,
      spans: spansOf(turn, times.startedAt, items, trace, gate),
      prompt: buildPrompt(turn, beforeNewestAnswer(history, turn), offered),
      superseded: supersededIn(trace, items),
    };
  };
}

/** The newest model call saw everything up to the first item of its answer. */
function beforeNewestAnswer(history: readonly TimedItem[], turn: Turn): readonly TimedItem[] {
  const answer = history.findLastIndex((item) => item.turnSeq === turn.seq && item.usage !== null);
  return answer < 0 ? history : history.slice(0, answer);
}

function supersededIn(trace: readonly AttemptTrace[], items: readonly TimedItem[]): Inspection['superseded'] {
  const written = new Set(items.map((item) => item.id));
  return trace.flatMap(({ attempt, events }) =>
    events.flatMap((event) =>
      event.type === 'item-done' && !event.written && event.item.type === 'message' && !written.has(event.item.id)
        ? [{ attempt: attempt - 1, text: textOf(event.item.content) }]
        : [],
    ),
  );
}
