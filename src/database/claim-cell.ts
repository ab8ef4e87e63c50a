import pg from 'pg';
import { type Cell, joinCell } from '#domain/cell.ts';

/**
 * Joins the cell of this database. The first start with a cell stores its number; after that, a process with another number
 * is refused, because its ids would lead the router to the wrong place.
 */
export async function claimCell(connection: pg.PoolConfig, cell: Cell | undefined): Promise<void> {
  const stored = await storeCell(connection, cell);
  if (stored !== cell) throw new Error(explain(stored, cell));
  joinCell(cell);
}

async function storeCell(connection: pg.PoolConfig, cell: Cell | undefined): Promise<Cell | undefined> {
  const client = new pg.Client(connection);
  client.on('error', () => {}); // a lost connection fails its query, which reports it
  await client.connect();
  try {
    if (cell !== undefined)
      await client.query(`insert into settings (name, value) values ('cell', $1) on conflict do nothing`, [{ cell }]);
    const { rows } = await client.query<{ value: { cell: Cell } }>(`select value from settings where name = 'cell'`);
    return rows[0]?.value.cell;
  } finally {
    await client.end();
  }
}

function explain(stored: Cell | undefined, cell: Cell | undefined): string {
  const is = cell === undefined ? 'CELL is not set' : `CELL is ${cell}`;
  return `This database belongs to cell ${stored}, but ${is}. Set CELL=${stored}, or DATABASE_URL to another database.`;
}
