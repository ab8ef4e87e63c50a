import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { saveResult } from '../results/save-result.ts';
import { type Cell, type Course, type Simulated, simulateCell } from './simulate-cell.ts';
import { ASSUMPTIONS, COST, renderSizes, sizeOf, writeSizes } from './sizing.ts';

/**
 * `npm run simulate` writes the tables of sizing.ts into docs/operate/scale.md, then simulates a cell with the busiest hour of a
 * million users: how long messages wait as the load rises, after the loss of replicas, and after PostgreSQL was away. With
 * `-- --sizes` it writes only the tables.
 */
const MILLION = sizeOf(1_000_000);
const CELL: Cell = {
  replicas: MILLION.replicas,
  postgresCores: Math.ceil(MILLION.postgresCores),
  turnsPerReplica: ASSUMPTIONS.turnsPerReplica.value,
  // Larger batches make turns cheaper; this is not simulated.
  node: COST.node,
  postgres: COST.postgres,
  // bench:replicas: half of the replicas killed at once.
  noticed: [1000, 2300],
  model: ASSUMPTIONS.answerSeconds.value * 1000,
};
const BUSIEST = MILLION.turnsPerSecond;
const SETTLED = 60;
const PAGE = path.join(import.meta.dirname, '../../docs/operate/scale.md');

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const at = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;
const summary = (values: readonly number[]) => ({ p50: at(values, 0.5), p99: at(values, 0.99) });
const show = ({ p50, p99 }: { p50: number; p99: number }) => `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`;

function risingLoad() {
  const capacity = (CELL.postgresCores * 1000) / CELL.postgres;
  return [0.3, 0.5, 0.7, 0.8, 0.9, 0.95].map((share) => {
    // Enough replicas, so that PostgreSQL is what limits.
    const cell = { ...CELL, replicas: 64 };
    const { waits } = simulateCell(cell, { turnsPerSecond: capacity * share, seconds: SETTLED });
    const result = { postgres_load: share, turns_per_second: capacity * share, wait: summary(waits.flat()) };
    print(`PostgreSQL at ${share * 100} % (${result.turns_per_second.toFixed(0)} turns/s): ${show(result.wait)}`);
    return result;
  });
}

/** Until messages permanently wait at most twice as long as before; null if that does not happen. */
function recoverySeconds({ waits }: Simulated, event: number): number | null {
  const usual = 2 * at(waits.slice(SETTLED - 10, SETTLED).flat(), 0.99);
  const last = waits.findLastIndex((values, second) => second >= event && at(values, 0.99) > usual);
  if (last === -1) return 0;
  return last + 1 < waits.length ? last + 1 - event : null;
}

const showRecovery = (seconds: number | null) =>
  seconds === null ? 'not as before again' : `as before after ${seconds} s`;

function lostReplicas() {
  return [1, 4, 8].map((killed) => {
    const course: Course = { turnsPerSecond: BUSIEST, seconds: 180, kill: { at: SETTLED, replicas: killed } };
    const simulated = simulateCell(CELL, course);
    const result = {
      killed,
      turns: simulated.takeovers.length,
      takeover: summary(simulated.takeovers),
      new_messages: summary(simulated.waits.slice(SETTLED, SETTLED + 10).flat()),
      most_queued: simulated.mostQueued,
      recovery_seconds: recoverySeconds(simulated, SETTLED),
    };
    print(
      `${killed} of ${CELL.replicas} replicas lost: ${result.turns} turns continue after ${show(result.takeover)}; messages of the ` +
        `next 10 s wait ${show(result.new_messages)}; at most ${result.most_queued} queued; ${showRecovery(result.recovery_seconds)}`,
    );
    return result;
  });
}

function lostDatabase() {
  return [10, 30, 60].map((away) => {
    const course: Course = { turnsPerSecond: BUSIEST, seconds: 300, outage: { at: SETTLED, seconds: away } };
    const simulated = simulateCell(CELL, course);
    const after = simulated.waits.slice(SETTLED + away, SETTLED + away + 10).flat();
    const result = {
      away_seconds: away,
      messages_after: summary(after),
      most_queued: simulated.mostQueued,
      recovery_seconds: recoverySeconds(simulated, SETTLED + away),
    };
    print(
      `PostgreSQL away for ${away} s: messages of the 10 s after it wait ${show(result.messages_after)}; at most ` +
        `${result.most_queued} queued; ${showRecovery(result.recovery_seconds)}`,
    );
    return result;
  });
}

for (const sizes of Object.values(renderSizes())) print(`${sizes}\n`);
writeFileSync(PAGE, writeSizes(readFileSync(PAGE, 'utf8')));
if (!process.argv.includes('--sizes'))
  saveResult('simulation', {
    cell: CELL,
    turns_per_second: BUSIEST,
    rising_load: risingLoad(),
    lost_replicas: lostReplicas(),
    lost_database: lostDatabase(),
  });
