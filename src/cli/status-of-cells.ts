import { ApiError, createClient } from '@reborn-agent/client';
import type { ServiceStatus } from '@reborn-agent/client/api';
import { printJson, printTable } from './print.ts';

type CellStatus = { readonly url: string } & (
  | { readonly answers: true; readonly status: ServiceStatus }
  | { readonly answers: false; readonly problem: string }
);

const PATIENCE_MS = 5000;

/** Prints a line for each cell. All are asked at once, and one that does not answer does not hide the others. Returns whether all have answered. */
export async function printCells(urls: readonly string[], token: string, json: boolean): Promise<boolean> {
  const cells = await Promise.all(urls.map((url) => askCell(url, token)));
  if (json) printJson(cells.map(toJson));
  else printTable([HEADER, ...cells.map(toRow), totalOf(cells)]);
  return cells.every(({ answers }) => answers);
}

async function askCell(url: string, token: string): Promise<CellStatus> {
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    return { url, answers: true, status: await createClient({ url, token }).call('GET /api/status', { signal }) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { url, answers: false, problem: error.status === 0 ? 'no answer' : `${error.status}: ${error.message}` };
  }
}

const HEADER = ['cell', 'version', 'replicas', 'running', 'queued', 'threads'];

function toRow(cell: CellStatus): string[] {
  if (!cell.answers) return [cell.url, cell.problem, '-', '-', '-', '-'];
  const { version, replicas, queue, threads } = cell.status;
  return [cell.url, version, ...[replicas, queue.running, queue.queued, threads].map(String)];
}

function totalOf(cells: readonly CellStatus[]): string[] {
  const known = cells.flatMap((cell) => (cell.answers ? [cell.status] : []));
  const sum = (pick: (status: ServiceStatus) => number) => String(known.reduce((all, status) => all + pick(status), 0));
  const name = `${known.length} of ${cells.length} answer`;
  return [
    name,
    '',
    sum((s) => s.replicas),
    sum((s) => s.queue.running),
    sum((s) => s.queue.queued),
    sum((s) => s.threads),
  ];
}

const toJson = (cell: CellStatus) =>
  cell.answers
    ? { url: cell.url, answers: true, ...cell.status }
    : { url: cell.url, answers: false, problem: cell.problem };
