import type { CellFacts } from '#cells/claim-cell.ts';
import { findObstacle } from '#cells/find-obstacle.ts';
import type { MoveClient } from '#cells/move-client.ts';
import { moveLockOf } from '#cells/move-user.ts';
import { findData } from '#database/embedded/runtime/choose-data-folder.ts';
import { MIGRATIONS } from '#database/migrate.ts';
import { type OpenDatabase, openDatabase } from '#database/open-database.ts';
import { readSchemaState } from '#database/schema-state.ts';
import type { UserId } from '#domain/principal.ts';
import { connectEngineClient } from '#engine/engine-connection.ts';
import { openIdentities } from '#store/identity-connection.ts';

/** A wrong path must not become a new, empty home. */
export async function openOther(to: string, home: string): Promise<OpenDatabase> {
  if (/^postgres(ql)?:\/\//.test(to)) return openDatabase({ url: to, home });
  if (!(await findData(to)))
    throw new Error(`No home with a database was found at ${to}. Name the home of the other cell, or its database.`);
  return openDatabase({ url: undefined, home: to });
}

/** A large thread takes longer to read or write than the statements of the service do. */
const PATIENCE = `set statement_timeout = '10min'; set idle_in_transaction_session_timeout = '10min'`;

export async function connectMoving(
  connection: OpenDatabase['connection'],
  undo: AsyncDisposableStack,
): Promise<MoveClient> {
  const client = await connectEngineClient(connection, () => {}); // a cut line fails the query, which reports it
  undo.defer(() => client.end());
  await openIdentities(client);
  await client.query(PATIENCE);
  return client;
}

export type BothFacts = { readonly source: CellFacts | undefined; readonly target: CellFacts | undefined };

/** Both must be cells of one version, with the same key for secrets. */
export async function requireAlike({ source, target }: BothFacts, other: OpenDatabase) {
  if (!source) throw new Error('This installation is not a cell. Set CELL and restart it first.');
  if (!target) throw new Error('The other installation is not a cell. Set CELL there and start it first.');
  if (source.cell === target.cell) throw new Error(`Cell ${source.cell} can't be its own target. Name another one.`);
  const { pending, unknown } = await readSchemaState(other.connection, MIGRATIONS);
  if (pending.length > 0 || unknown.length > 0)
    throw new Error('The other cell has another version. Upgrade both to the same version first.');
  if (!source.keyId || source.keyId !== target.keyId)
    throw new Error('The cells have different keys for secrets. Give both the same SECRETS_KEY and restart them.');
  return { source: source.cell, target: target.cell };
}

/** Whether no other command moves the user. The lock lasts as long as the connection, or until it is given back. */
export async function lockUser(source: MoveClient, id: UserId): Promise<boolean> {
  const { rows } = await source.query<{ isFree: boolean }>(`select pg_try_advisory_lock(${MOVES}, $1) as "isFree"`, [
    moveLockOf(id),
  ]);
  return rows[0]?.isFree === true;
}

export async function unlockUser(source: MoveClient, id: UserId): Promise<void> {
  await source.query(`select pg_advisory_unlock(${MOVES}, $1)`, [moveLockOf(id)]);
}

const MOVES = 8250;

/** Why the user can't move, in words. */
export function findReason(
  clients: { readonly source: MoveClient; readonly target: MoveClient },
  id: UserId,
  { source, target }: BothFacts,
): Promise<string | undefined> {
  return findObstacle(clients, id, { hasSameBucket: source?.bucket === target?.bucket });
}
