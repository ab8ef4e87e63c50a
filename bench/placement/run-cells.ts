import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ServiceStatus } from '@reborn-agent/client/api';
import { findHome, findRegistrar } from '#domain/cell/placement.ts';
import { hashIdentity } from '#domain/cell/user-move.ts';
import { BARE_ENV } from '../../test/support/bare-env.ts';
import { type RunningCell, startCell, startRouter } from '../../test/support/cells.ts';
import { compiledProgram } from '../../test/support/compiled-program.ts';
import { findFreePort } from '../../test/support/free-port.ts';
import { startIdentityProvider } from '../../test/support/identity-provider.ts';
import { runReborn } from '../../test/support/run-reborn.ts';
import { startScriptedModel } from '../../test/support/scripted-model.ts';
import { spawnService, TOKEN } from '../../test/support/service.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { checkLedger, type Entry, type Ledger } from './check-ledger.ts';
import { createPeople } from './people.ts';

export type Plan = {
  /** How many cells there are at first. One is added, and the second of them is drained. */
  readonly cells: number;
  /** How many people sign in before the list changes, while two lists are in use, and after it has changed everywhere. */
  readonly people: { readonly before: number; readonly between: number; readonly after: number };
  /** Every so many of them sign in again with a new browser. */
  readonly again: number;
  readonly perMinute: number;
  /** How many sign in at a time. */
  readonly atOnce: number;
  readonly log: (line: string) => void;
};

const DRAINED = 2;

/** Cells behind a router with people who sign in, a cell that is added, one that is drained by a command that is killed once, and the ledger at the end. */
export async function runCells(plan: Plan) {
  await using undo = new AsyncDisposableStack();
  const { people: counts, log } = plan;
  const total = counts.before + counts.between + counts.after;
  const names = Array.from({ length: total }, (_, number) => ({ sub: `person-${number}`, name: `Person ${number}` }));
  const idp = await startIdentityProvider({ people: names });
  undo.defer(() => idp.close());
  const first = numbersTo(plan.cells);
  const all = numbersTo(plan.cells + 1);
  const { cells, newest, restart } = await startCells(first, all, idp.env, undo);
  const router = await startRouter([...cells, newest]);
  undo.defer(() => router.close());
  const ledger: Ledger = [];
  const people = createPeople({ router: router.url, atOnce: plan.atOnce, ledger });
  const spread = (from: number) => countBy(ledger.slice(from), ({ cell }) => cell);

  const began = performance.now();
  await people.arrive(names.slice(0, counts.before));
  const before = spread(0);
  log(`${counts.before} people signed in: ${JSON.stringify(before)}`);

  await restart(cells.slice(0, 1), list(all));
  await people.arrive(names.slice(counts.before, counts.before + counts.between));
  const between = spread(counts.before);
  log(`cell 1 knows the new cell, the others do not: ${JSON.stringify(between)}`);
  const whileListsDiffer = await people.returnHome(plan.again);

  await restart(cells.slice(1), list(all));
  await people.arrive(names.slice(counts.before + counts.between));
  const after = spread(counts.before + counts.between);
  log(`all cells know the new cell: ${JSON.stringify(after)}`);
  const isMisplaced = ({ sub, cell }: Entry, index: number): boolean => {
    const hash = hashIdentity({ issuer: idp.issuer, subject: sub });
    const isInformed = findRegistrar(hash, { cells: [], registrars: first }) === 1;
    const knowsAll = index >= counts.before && (isInformed || index >= counts.before + counts.between);
    return cell !== findHome(hash, (knowsAll ? all : first).map(toWeighted));
  };
  const misplaced = ledger.filter(isMisplaced).length;
  const signInSeconds = (performance.now() - began) / 1000;

  await restart([...cells, newest], list(all, DRAINED));
  const leaving = ledger.filter(({ cell }) => cell === DRAINED).length;
  const drained = cells[DRAINED - 1] as RunningCell;
  const others = [...cells, newest].filter((cell) => cell !== drained);
  const drain = await drainWithKill({
    drained,
    env: { ...drained.env, CELLS: list(all, DRAINED) },
    words: ['cell', 'drain', '--to', ...others.map(placeOf), '--per-minute', String(plan.perMinute)],
    killAt: Math.ceil(leaving / 3),
    meanwhile: () => people.look(DRAINED),
    log,
  });
  const afterDrain = await people.returnHome(plan.again);
  const databases = [...cells, newest].map((cell) => ({ cell: cell.cell, database: placeOf(cell) }));
  return {
    cells: plan.cells,
    people: total,
    before,
    between,
    after,
    misplaced,
    signInSeconds,
    signInsPerSecond: total / signInSeconds,
    throughAnotherCell: ledger.filter(({ hops }) => hops > 0).length,
    signedInAgain: whileListsDiffer.checked + afterDrain.checked,
    signedInAgainAsOthers: whileListsDiffer.others + afterDrain.others,
    drained: leaving,
    ...drain,
    ...(await checkLedger(ledger, databases, DRAINED)),
  };
}

/** The cells with a list of the first ones, and the newest with a list of all: it starts before any other cell knows it. */
async function startCells(
  first: readonly number[],
  all: readonly number[],
  settings: Record<string, string>,
  undo: AsyncDisposableStack,
) {
  const model = await startScriptedModel();
  undo.defer(() => model.close());
  const running = new Map<number, Pick<RunningCell, 'kill'>>();

  async function start(cell: number, cells: string): Promise<RunningCell> {
    const ports = { GATEWAY_PORT: String(await findFreePort()), HTTP_PORT: String(await findFreePort()) };
    const placement = { CELLS: cells, CELL_REGISTRARS: first.join(), DATABASE_CONNECTIONS: '6' };
    const started = await startCell(cell, model, { ...settings, ...ports, ...placement }, { shared: true });
    undo.defer(() => started.home.remove());
    undo.defer(() => running.get(cell)?.kill('SIGTERM'));
    running.set(cell, started);
    return started;
  }

  const cells = await Promise.all(first.map((cell) => start(cell, list(first))));
  const newest = await start(all.at(-1) ?? 0, list(all));
  return {
    cells,
    newest,
    /** With another list, on the same addresses. */
    restart: async (changed: readonly RunningCell[], cellsNow: string): Promise<void> => {
      await Promise.all(
        changed.map(async ({ cell, env }) => {
          await running.get(cell)?.kill('SIGTERM');
          running.set(cell, await spawnService({ ...env, CELLS: cellsNow }));
        }),
      );
    },
  };
}

const list = (cells: readonly number[], closed?: number): string =>
  cells.map((cell) => (cell === closed ? `${cell}:0` : String(cell))).join();

type DrainPlan = {
  readonly drained: RunningCell;
  readonly env: Record<string, string>;
  readonly words: readonly string[];
  readonly killAt: number;
  /** Runs until it is stopped; returns how many requests it made. */
  readonly meanwhile: () => { stop: () => Promise<number> };
  readonly log: Plan['log'];
};

/** The command is killed when it has moved some, and run again. People continue working all the time. */
async function drainWithKill({ drained, env, words, killAt, meanwhile, log }: DrainPlan) {
  const began = performance.now();
  const looking = meanwhile();
  const [node, program] = await compiledProgram();
  const dying = spawn(node, [program, ...words], { env: { ...BARE_ENV, ...env }, stdio: 'ignore' });
  const exited = once(dying, 'exit');
  const moved = async () => {
    if (dying.exitCode !== null) throw new Error(`The drain ended before it was killed, with ${dying.exitCode}.`);
    const [row] = await drained.home.query<{ moved: number }>(
      `select (value->>'moved')::integer as moved from settings where name = 'cell_drain'`,
    );
    return row && row.moved >= killAt ? row.moved : undefined;
  };
  const movedBefore = await waitFor(`${killAt} users to leave`, moved, LONG_MS);
  dying.kill('SIGKILL');
  await exited;
  log(`the drain was killed after ${movedBefore} users`);
  const status = await runReborn(['status', '--json'], { env: { ...env, SERVICE_REBORN_WEBUI_TOKEN: TOKEN } });
  if (status.code !== 0) throw new Error(`reborn status failed: ${status.stderr}`);
  const again = await runReborn(words, { env });
  if (again.code !== 0) throw new Error(`The drain failed: ${again.stderr}${again.stdout}`);
  const seconds = (performance.now() - began) / 1000;
  log(again.stdout.trim());
  return {
    killedAfter: movedBefore,
    drainAfterKill: (JSON.parse(status.stdout) as { drain?: ServiceStatus['drain'] }).drain,
    drainSeconds: seconds,
    requestsMeanwhile: await looking.stop(),
    summary: again.stdout.trim(),
  };
}

const LONG_MS = 30 * 60_000;

const numbersTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);
const toWeighted = (cell: number) => ({ cell, weight: 100 });
const placeOf = ({ env, home }: RunningCell): string => ('DATABASE_URL' in env ? env.DATABASE_URL : home.home);

function countBy<T>(items: readonly T[], key: (item: T) => number): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const item of items) counts[key(item)] = (counts[key(item)] ?? 0) + 1;
  return counts;
}
