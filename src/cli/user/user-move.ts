import type { Command } from 'commander';
import { type CellFacts, readCell } from '#cells/claim-cell.ts';
import { findObstacle } from '#cells/find-obstacle.ts';
import type { MoveClient } from '#cells/move-client.ts';
import { type MoveStep, moveLockOf, moveUser } from '#cells/move-user.ts';
import { findData } from '#database/embedded/runtime/choose-data-folder.ts';
import { MIGRATIONS } from '#database/migrate.ts';
import { type OpenDatabase, openDatabase } from '#database/open-database.ts';
import { readSchemaState } from '#database/schema-state.ts';
import { newId } from '#domain/ids.ts';
import type { User } from '#domain/user.ts';
import { connectEngineClient } from '#engine/engine-connection.ts';
import { openIdentities } from '#store/identity-connection.ts';
import { type Desk, withAccounts } from '../connect/with-accounts.ts';
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
    const other = await openOther(to, desk);
    undo.defer(() => other.close());
    const [source, target] = [await connect(desk.connection, undo), await connect(other.connection, undo)];
    const facts = { source: await readCell(source), target: await readCell(target) };
    const cells = await requireAlike(facts, other);
    await requireFree(source, user);
    await requireMovable({ source, target }, user, facts);

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

/** A wrong path must not become a new, empty home. */
async function openOther(to: string, { config }: Desk): Promise<OpenDatabase> {
  if (/^postgres(ql)?:\/\//.test(to)) return openDatabase({ url: to, home: config.home });
  if (!(await findData(to)))
    throw new Error(`No home with a database was found at ${to}. Name the home of the other cell, or its database.`);
  return openDatabase({ url: undefined, home: to });
}

/** A large thread takes longer to read or write than the statements of the service do. */
const PATIENCE = `set statement_timeout = '10min'; set idle_in_transaction_session_timeout = '10min'`;

async function connect(connection: OpenDatabase['connection'], undo: AsyncDisposableStack): Promise<MoveClient> {
  const client = await connectEngineClient(connection, () => {}); // a cut line fails the query, which reports it
  undo.defer(() => client.end());
  await openIdentities(client);
  await client.query(PATIENCE);
  return client;
}

type Facts = { readonly source: CellFacts | undefined; readonly target: CellFacts | undefined };

/** Both must be cells of one version, with the same key for secrets. */
async function requireAlike({ source, target }: Facts, other: OpenDatabase) {
  if (!source) throw new Error('This installation is not a cell. Set CELL and restart it first.');
  if (!target) throw new Error('The other installation is not a cell. Set CELL there and start it first.');
  if (source.cell === target.cell) throw new Error(`The user is in cell ${source.cell} already.`);
  const { pending, unknown } = await readSchemaState(other.connection, MIGRATIONS);
  if (pending.length > 0 || unknown.length > 0)
    throw new Error('The other cell has another version. Upgrade both to the same version first.');
  if (!source.keyId || source.keyId !== target.keyId)
    throw new Error('The cells have different keys for secrets. Give both the same SECRETS_KEY and restart them.');
  return { source: source.cell, target: target.cell };
}

async function requireFree(source: MoveClient, { id, name }: User): Promise<void> {
  const { rows } = await source.query<{ isFree: boolean }>('select pg_try_advisory_lock(8250, $1) as "isFree"', [
    moveLockOf(id),
  ]);
  if (!rows[0]?.isFree) throw new Error(`Another command is moving ${name} at this moment.`);
}

async function requireMovable(
  clients: { readonly source: MoveClient; readonly target: MoveClient },
  { id }: User,
  { source, target }: Facts,
): Promise<void> {
  const hasSameBucket = source?.bucket === target?.bucket;
  const obstacle = await findObstacle(clients, id, { hasSameBucket });
  if (obstacle) throw new Error(obstacle);
}
