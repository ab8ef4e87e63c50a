import type { Command } from 'commander';
import { type CellFacts, readCell } from '#cells/claim-cell.ts';
import { drainCell, type Leaver, type Mover } from '#cells/drain-cell.ts';
import type { DrainRecord } from '#cells/drain-record.ts';
import type { MoveClient } from '#cells/move-client.ts';
import { moveUser } from '#cells/move-user.ts';
import type { OpenDatabase } from '#database/open-database.ts';
import type { Cell } from '#domain/cell/cell.ts';
import type { WeightedCell } from '#domain/cell/placement.ts';
import { newId } from '#domain/ids.ts';
import { COMMAND_LINE, type OpenedDatabase, withDatabase } from '../connect/with-database.ts';
import { printJson, printLine, printNotice } from '../print.ts';
import { wholeNumber } from '../whole-number.ts';
import { connectMoving, findReason, lockUser, openOther, requireAlike, unlockUser } from './other-cell.ts';

type Options = { readonly to: readonly string[]; readonly perMinute: number; readonly json?: true };

const USUAL_PACE = 60;

/** `reborn cell drain`: moves all users to the other cells. */
export function addCellDrainCommand(cell: Command): void {
  cell
    .command('drain')
    .requiredOption(
      '--to <database...>',
      'the databases of the other cells, or their homes; all that are open in CELLS',
    )
    .option('--per-minute <users>', 'move at most as many users in a minute', wholeNumber(1, 6000), USUAL_PACE)
    .option('--json', 'print the result as JSON')
    .description('Move all users of this cell to the others. If it is interrupted, run it again.')
    .addHelpText(
      'after',
      '\nExample:\n  reborn cell drain --to postgres://reborn@db-1.internal/reborn postgres://reborn@db-2.internal/reborn' +
        '\n\nExit codes: 0 nobody is left, 1 it failed, or some users stay.',
    )
    .action(drain);
}

function drain({ to, perMinute, json }: Options): Promise<void> {
  return withDatabase(async ({ config, connection }) => {
    await using undo = new AsyncDisposableStack();
    const targets = othersOf(config);
    const source = await connectMoving(connection, undo);
    if (!(await lockUser(source, THE_CELL))) throw new Error('Another command is draining this cell.');
    const facts = await readCell(source);
    const others = await openOthers(to, { home: config.home, facts, targets, undo });
    const movers: Mover[] = [];
    for (let count = 0; count < Math.min(MOST_MOVERS, Math.ceil(perMinute / PACE_OF_ONE)); count++)
      movers.push(await openMover(connection, { facts, others, undo }));

    const ended = await drainCell({
      source,
      movers,
      targets,
      perMinute,
      onMoved: (record) => (json ? undefined : tell(record)),
      onStay: ({ id, name }, reason) => printNotice(`${name} (${id}) stays: ${reason}`),
    });
    if (json) printJson(ended);
    else
      printLine(`${ended.moved} users have moved. ${ended.stayed === 0 ? 'Nobody is left.' : `${ended.stayed} stay.`}`);
    if (ended.stayed > 0) process.exitCode = 1;
  });
}

/** In place of a user: no id has this form. */
const THE_CELL = 'all users of the cell';

/** A move takes one to two seconds, most of it waiting. */
const PACE_OF_ONE = 30;
const MOST_MOVERS = 16;

/** The open cells. This one must be closed first: otherwise new users would begin in it all the time. */
function othersOf({ cell, placement }: OpenedDatabase['config']): readonly WeightedCell[] {
  if (!placement) throw new Error('CELLS is not set, so it is not known where to move the users.');
  const own = placement.cells.find((each) => each.cell === cell);
  if (own && own.weight > 0)
    throw new Error(
      `Cell ${cell} still takes new users. Write ${cell}:0 in CELLS of all cells, and restart them first.`,
    );
  return placement.cells.filter(({ weight }) => weight > 0);
}

type Other = { readonly database: OpenDatabase; readonly facts: CellFacts };
type Common = { readonly facts: CellFacts | undefined; readonly undo: AsyncDisposableStack };

async function openOthers(
  places: readonly string[],
  { home, facts, targets, undo }: Common & { readonly home: string; readonly targets: readonly WeightedCell[] },
): Promise<ReadonlyMap<Cell, Other>> {
  const others = new Map<Cell, Other>();
  for (const place of places) {
    const database = await openOther(place, home);
    undo.defer(() => database.close());
    const target = await readCell(await connectMoving(database.connection, undo));
    await requireAlike({ source: facts, target }, database);
    if (target) others.set(target.cell, { database, facts: target });
  }
  const missing = targets.filter(({ cell }) => !others.has(cell)).map(({ cell }) => cell);
  if (missing.length > 0)
    throw new Error(`CELLS lists cell ${missing.join(', ')} as open. Name its database after --to.`);
  return others;
}

/** Opens the connections of a mover when they are needed. */
async function openMover(
  connection: OpenDatabase['connection'],
  { facts, others, undo }: Common & { readonly others: ReadonlyMap<Cell, Other> },
): Promise<Mover> {
  const source = await connectMoving(connection, undo);
  const targets = new Map<Cell, MoveClient>();

  async function move({ id }: Leaver, to: Cell): Promise<string | undefined> {
    const other = others.get(to);
    if (!facts || !other) return `They are moving to cell ${to}, whose database is not named after --to.`;
    const target = targets.get(to) ?? (await connectMoving(other.database.connection, undo));
    targets.set(to, target);
    const obstacle = await findReason({ source, target }, id, { source: facts, target: other.facts });
    if (obstacle) return obstacle;
    const cells = { source: facts.cell, target: to };
    await moveUser({ source, target, subject: id, cells, actor: COMMAND_LINE.userId, id: newId<string>() });
    return undefined;
  }

  return {
    async move(user, to) {
      if (!(await lockUser(source, user.id))) return 'Another command is moving them.';
      try {
        return await move(user, to);
      } finally {
        await unlockUser(source, user.id);
      }
    },
  };
}

const TELL_EVERY = 100;

function tell({ moved, left }: DrainRecord): void {
  if (moved % TELL_EVERY === 0) printNotice(`${moved} users have moved, ${left} are left.`);
}
