import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ROOT } from '../../test/support/cached-folder.ts';
import type { Burst } from '../burst.ts';
import type { Survival } from './crash-check.ts';

/** One run: its servers alternated. Times are medians. Compare servers of one run only. */
export type Run = {
  readonly date: string;
  readonly commit: string;
  readonly machine: string;
  readonly loadAverage: number;
  readonly node: string;
  readonly seconds: number;
  readonly rounds: number;
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

const FILE = path.join(ROOT, 'bench/results/peers.json');

/** Adds the run to the file, in place of an earlier one with the same servers. */
export async function saveRun(run: Run): Promise<void> {
  const saved = existsSync(FILE) ? (JSON.parse(await readFile(FILE, 'utf8')) as { runs: Run[] }).runs : [];
  const runs = [...saved.filter((each) => namesOf(each) !== namesOf(run)), run];
  await mkdir(path.dirname(FILE), { recursive: true });
  await writeFile(FILE, `${JSON.stringify({ runs }, undefined, 2)}\n`);
}

const namesOf = ({ peers }: Run): string => peers.map(({ name }) => name).join();

/** One row for each server, as in docs/trust/benchmarks.md. */
export function renderTable({ peers }: Run): string {
  const rows = peers.map(({ name, start, idleMemoryMb, turns, firstWordMs }) => [
    name,
    ...turns.map(({ cpu }) => cpu.toFixed(1)),
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
