import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ServiceStatus } from '@reborn-agent/client/api';
import { findHome } from '#domain/cell/placement.ts';
import { hashIdentity } from '#domain/cell/user-move.ts';
import { BARE_ENV } from '../../test/support/bare-env.ts';
import { type RunningCell, startCell, startRouter } from '../../test/support/cells.ts';
import { compiledProgram } from '../../test/support/compiled-program.ts';
import { findFreePort } from '../../test/support/free-port.ts';
import { startIdentityProvider } from '../../test/support/identity-provider.ts';
import { runReborn } from '../../test/support/run-reborn.ts';
import { startScriptedModel } from '../../test/support/scripted-model.ts';
import { spawnService } from '../../test/support/service.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { checkLedger, type Ledger } from './check-ledger.ts';
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
  const model = await startScriptedModel();
  undo.defer(() => model.close());
  const total = counts.before + counts.between + counts.after;
  const names = Array.from({ length: total }, (_, number) => ({ sub: `person-${number}`, name: `Person ${number}` }));
  const idp = await startIdentityProvider({ people: names });
  undo.defer(() => idp.close());

  const first = numbersTo(plan.cells);
  const list = (cells: readonly number[], closed?: number) =>
    cells.map((cell) => (cell === closed ? `${cell}:0` : String(cell))).join();
  const start = async (cell: number, cells: string): Promise<RunningCell> => {
    const ports = { GATEWAY_PORT: String(await findFreePort()), HTTP_PORT: String(await findFreePort()) };
    const settings = { ...idp.env, ...ports, CELLS: cells, CELL_REGISTRARS: first.join(), DATABASE_CONNECTIONS: '6' };
    const started = await startCell(cell, model, settings, { shared: true });
    undo.defer(() => started.home.remove());
    undo.defer(() => running.get(cell)?.kill('SIGTERM'));
    running.set(cell, started);
    return started;
  };
  const running = new Map<number, Pick<RunningCell, 'kill'>>();
  /** With other settings, on the same address. */
  const restart = async (cell: RunningCell, cells: string): Promise<void> => {
    await running.get(cell.cell)?.kill('SIGTERM');
    running.set(cell.cell, await spawnService({ ...cell.env, CELLS: cells }));
  };

  const cells = await Promise.all(first.map((cell) => start(cell, list(first))));
  const added = plan.cells + 1;
  const all = [...first, added];
  // It is started before any other cell knows it, and the router lists it before they do.
  const newest = await start(added, list(all));
  const router = await startRouter([...cells, newest]);
  undo.defer(() => router.close());
  const ledger: Ledger = [];
  const people = createPeople({ router: router.url, atOnce: plan.atOnce, ledger });
  const spread = (from: number) => countBy(ledger.slice(from), ({ cell }) => cell);

  const began = performance.now();
  await people.arrive(names.slice(0, counts.before));
  const misplaced = ledger.filter(
    ({ sub, cell }) => cell !== findHome(hashIdentity({ issuer: idp.issuer, subject: sub }), first.map(toWeighted)),
  ).length;
  const before = spread(0);
  log(`${counts.before} people signed in: ${JSON.stringify(before)}, ${misplaced} not in their home`);

  await restart(cells[0] as RunningCell, list(all));
  await people.arrive(names.slice(counts.before, counts.before + counts.between));
  const between = spread(counts.before);
  log(`cell 1 knows cell ${added}, the others do not: ${JSON.stringify(between)}`);
  const movedByLists = await people.returnHome(plan.again);

  for (const cell of cells.slice(1)) await restart(cell, list(all));
  await people.arrive(names.slice(counts.before + counts.between));
  const after = spread(counts.before + counts.between);
  log(`all cells know cell ${added}: ${JSON.stringify(after)}`);
  const signInSeconds = (performance.now() - began) / 1000;

  for (const cell of [...cells, newest].filter(({ cell: number }) => number !== DRAINED))
    await restart(cell, list(all, DRAINED));
  const drained = cells[DRAINED - 1] as RunningCell;
  await restart(drained, list(all, DRAINED));
  const leaving = ledger.filter(({ cell }) => cell === DRAINED).length;
  const drain = await drainWithKill({
    drained,
    env: { ...drained.env, CELLS: list(all, DRAINED) },
    words: [
      'cell',
      'drain',
      '--to',
      ...[...cells, newest].flatMap((cell) => (cell === drained ? [] : [placeOf(cell)])),
      '--per-minute',
      String(plan.perMinute),
    ],
    killAt: Math.ceil(leaving / 3),
    meanwhile: () => people.look(DRAINED),
    log,
  });
  const afterDrain = await people.returnHome(plan.again);
  const databases = [...cells, newest].map((cell) => ({ cell: cell.cell, database: placeOf(cell) }));
  const checked = await checkLedger(ledger, databases, DRAINED);
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
    signedInAgain: movedByLists.checked + afterDrain.checked,
    signedInAgainAsOthers: movedByLists.others + afterDrain.others,
    drained: leaving,
    ...drain,
    ...checked,
  };
}

type DrainPlan = {
  readonly drained: RunningCell;
  readonly env: Record<string, string>;
  readonly words: readonly string[];
  readonly killAt: number;
  /** Runs until it is told to stop; returns how many requests it made. */
  readonly meanwhile: () => { stop: () => Promise<number> };
  readonly log: Plan['log'];
};

/** The command is killed when it has moved some, and run again. People go on working all the time. */
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
  const status = await runReborn(['status', '--json'], { env });
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
