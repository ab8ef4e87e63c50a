import type { Command } from 'commander';
import { readCell } from '#cells/claim-cell.ts';
import { type MoveStep, moveUser } from '#cells/move-user.ts';
import { newId } from '#domain/ids.ts';
import { connectMoving, findReason, lockUser, openOther, requireAlike } from '../cell/other-cell.ts';
import { withAccounts } from '../connect/with-accounts.ts';
import { COMMAND_LINE } from '../connect/with-database.ts';
import { printJson, printLine, printNotice } from '../print.ts';

type Options = { readonly to: string; readonly json?: true };

/** `reborn user move`: to another cell. */
export function addUserMoveCommand(user: Command): void {
  user
    .command('move')
    .argument('<user>', 'an id, email or name')
    .requiredOption('--to <database>', 'the database of the other cell; or its home, if it has the built-in PostgreSQL')
    .option('--json', 'print what was moved as JSON')
    .description('Move a user with everything to another cell. If it is interrupted, run it again.')
    .addHelpText('after', '\nExample:\n  reborn user move Ann --to postgres://reborn@db-2.internal/reborn')
    .action(move);
}

function move(called: string, { to, json }: Options): Promise<void> {
  return withAccounts(async (desk) => {
    const user = await desk.getUser(called);
    await using undo = new AsyncDisposableStack();
    const other = await openOther(to, desk.config.home);
    undo.defer(() => other.close());
    const [source, target] = [await connectMoving(desk.connection, undo), await connectMoving(other.connection, undo)];
    const facts = { source: await readCell(source), target: await readCell(target) };
    const cells = await requireAlike(facts, other);
    if (!(await lockUser(source, user.id))) throw new Error(`Another command is moving ${user.name} at this moment.`);
    const obstacle = await findReason({ source, target }, user.id, facts);
    if (obstacle) throw new Error(obstacle);

    if (!json) printNotice(`Moving ${user.name} to cell ${cells.target}. If this is interrupted, run it again.`);
    const onStep = (step: MoveStep) => (json ? undefined : printNotice(`  ${STEPS[step]}`));
    const id = newId<string>();
    const rows = await moveUser({ source, target, subject: user.id, cells, actor: COMMAND_LINE.userId, id, onStep });
    if (json) return printJson({ user: user.id, from: cells.source, to: cells.target, rows: rows ?? null });
    const total = Object.values(rows ?? {}).reduce((all, count) => all + count, 0);
    printLine(
      `Moved ${user.name} to cell ${cells.target}${rows ? `: ${total} rows` : ''}. Tokens and sessions still work.`,
    );
    printLine('Devices for notifications and pairings with webhook users stay behind: add them again.');
  });
}

const STEPS: Readonly<Record<MoveStep, string>> = {
  leaving: 'Nothing new is accepted.',
  resting: 'Running work has stopped.',
  copied: 'Everything is copied.',
  arrived: 'The other cell has taken over.',
  left: 'Requests are forwarded.',
  gone: 'Nothing is left here.',
};
