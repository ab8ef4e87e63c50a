import type { Burst } from './bursts.ts';
import type { Survival } from './crash-check.ts';

/** The contents of bench/results/peers.json. Times are medians. */
export type Results = {
  readonly date: string;
  readonly machine: string;
  readonly node: string;
  readonly peers: readonly PeerResult[];
};

export type PeerResult = {
  readonly name: string;
  readonly version: string;
  readonly storage: string;
  /** From the start of the process to its first answer; not its very first start. */
  readonly start: { readonly milliseconds: number; readonly cpuMs: number };
  readonly idleMemoryMb: number;
  /** What the model gets for the message `Hello`. */
  readonly prompt: { readonly bytes: number; readonly tools: number };
  readonly turns: readonly (Burst & { readonly atOnce: number })[];
  readonly firstWordMs: number;
  readonly afterKill: Survival;
};

/** One row for each server, as in docs/benchmarks.md. */
export function renderTable({ peers }: Results): string {
  const rows = peers.map(({ name, start, idleMemoryMb, turns, firstWordMs }) => [
    name,
    ...turns.map(({ cpuMs }) => cpuMs.toFixed(1)),
    ...turns.map(({ perSecond }) => perSecond.toFixed(perSecond < 10 ? 1 : 0)),
    firstWordMs.toFixed(1),
    `${(start.milliseconds / 1000).toFixed(1)} s`,
    `${idleMemoryMb.toFixed(0)} MB`,
  ]);
  const atOnce = peers[0]?.turns.map((turn) => turn.atOnce) ?? [];
  const head = [
    '',
    ...atOnce.map((count) => `CPU ms, ${count} at once`),
    ...atOnce.map((count) => `turns/s, ${count} at once`),
    'first word, ms',
    'start',
    'memory, idle',
  ];
  return [head, head.map((_, index) => (index === 0 ? '---' : '--:')), ...rows].map(renderRow).join('\n');
}

const renderRow = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
