import type { Turn } from '#domain/thread/turn.ts';
import type { Engine } from '#engine/engine.ts';
import { repeat } from '#engine/repeat.ts';
import type { Database } from '#store/connection.ts';
import type { TurnTrace } from '#telemetry/otlp-traces.ts';
import { readSpans } from './read-spans.ts';

export type TracingPace = { readonly everyMs: number; readonly mostAtOnce: number; readonly mostKept: number };

const PACE: TracingPace = { everyMs: 5000, mostAtOnce: 200, mostKept: 5000 };

/**
 * Tells a collector how each turn went that ended on this replica. A collector that is away gets them later; when more
 * wait than we keep, the oldest are given up: turns don't wait for those who watch them.
 */
export function startTracingTurns(parts: {
  db: Database;
  engine: Engine;
  send: (traces: readonly TurnTrace[]) => Promise<void>;
  onFailure: (error: unknown) => void;
  pace?: Partial<TracingPace> | undefined;
}) {
  const { db, engine, send, onFailure } = parts;
  const { everyMs, mostAtOnce, mostKept } = { ...PACE, ...parts.pace };
  const ended: Turn[] = [];
  const unfollow = engine.followEnds((turn) => {
    ended.push(turn);
    if (ended.length > mostKept) ended.shift();
  });

  async function sendEnded(): Promise<void> {
    while (ended.length > 0) {
      const batch = ended.slice(0, mostAtOnce);
      const traces = await Promise.all(batch.map((turn) => readSpans(db, engine, turn)));
      await send(traces.filter((trace) => trace !== undefined));
      for (const turn of batch) if (ended[0] === turn) ended.shift(); // the oldest may be gone already
    }
  }

  const sending = repeat(everyMs, sendEnded, onFailure);
  return {
    async stop(): Promise<void> {
      unfollow();
      await sending.stop();
      await sendEnded().catch(onFailure);
    },
  };
}
