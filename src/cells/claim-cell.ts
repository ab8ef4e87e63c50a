import pg from 'pg';
import { type Cell, joinCell, ownCell } from '#domain/cell/cell.ts';
import type { Placement } from '#domain/cell/placement.ts';

/**
 * Joins the cell of this database. The first start with a cell stores its number; after that, a process with another number
 * is refused, because its ids would lead the router to the wrong place.
 */
export async function claimCell(connection: pg.PoolConfig, config: CellConfig): Promise<void> {
  const { cell, placement } = config;
  await withClient(connection, async (client) => {
    const stored = await storeCell(client, cell);
    if (stored !== cell) throw new Error(explain(stored, cell));
    await requireSameRegistrars(client, placement?.registrars);
  });
  joinCell(cell);
}

export type CellConfig = {
  readonly cell: Cell | undefined;
  readonly placement: Pick<Placement, 'registrars'> | undefined;
};

async function storeCell(client: pg.Client, cell: Cell | undefined): Promise<Cell | undefined> {
  if (cell !== undefined)
    await client.query(`insert into settings (name, value) values ('cell', $1) on conflict do nothing`, [{ cell }]);
  return (await readCell(client))?.cell;
}

/** With other registrars, this cell would look for people where no one remembers them, and they would begin a second time. */
async function requireSameRegistrars(client: pg.Client, given: readonly Cell[] | undefined): Promise<void> {
  const registrars = given?.toSorted((one, other) => one - other).join();
  if (registrars !== undefined)
    await client.query(`insert into settings (name, value) values ('cell_registrars', $1) on conflict do nothing`, [
      { registrars },
    ]);
  const { rows } = await client.query<{ value: { registrars: string } }>(
    `select value from settings where name = 'cell_registrars'`,
  );
  const stored = rows[0]?.value.registrars;
  if (stored === registrars) return;
  const is = registrars === undefined ? 'CELLS is not set' : `CELL_REGISTRARS is ${registrars}`;
  throw new Error(
    `The users of this cell were placed with the registrars ${stored}, but ${is}. Set CELL_REGISTRARS=${stored}: they never change.`,
  );
}

/** What another cell must have in common with this one, so that a user can move. */
export type CellFacts = {
  readonly cell: Cell;
  /** The name of its key for secrets. */
  readonly keyId?: string;
  /** Its bucket for attachments; null if there is none. */
  readonly bucket?: string | null;
};

/** Stores the facts of this cell, for commands that move a user. Nothing to do in a single installation. */
export async function describeCell(connection: pg.PoolConfig, facts: Omit<CellFacts, 'cell'>): Promise<void> {
  const cell = ownCell();
  if (cell === undefined) return;
  const value = { cell, ...facts };
  await withClient(connection, (client) =>
    client.query(`update settings set value = $1, updated_at = now() where name = 'cell'`, [value]),
  );
}

export async function readCell(client: Pick<pg.Client, 'query'>): Promise<CellFacts | undefined> {
  const { rows } = await client.query<{ value: CellFacts }>(`select value from settings where name = 'cell'`);
  return rows[0]?.value;
}

async function withClient<T>(connection: pg.PoolConfig, act: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(connection);
  client.on('error', () => {}); // a lost connection fails its query, which reports it
  await client.connect();
  try {
    return await act(client);
  } finally {
    await client.end();
  }
}

function explain(stored: Cell | undefined, cell: Cell | undefined): string {
  const is = cell === undefined ? 'CELL is not set' : `CELL is ${cell}`;
  return `This database belongs to cell ${stored}, but ${is}. Set CELL=${stored}, or DATABASE_URL to another database.`;
}
