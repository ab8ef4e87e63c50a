import pg from 'pg';
import { IDENTITIES_OPEN } from '../../test/support/person.ts';

/** What a person got at their first sign-in. */
export type Entry = {
  readonly sub: string;
  /** Of the user. */
  readonly id: string;
  readonly cell: number;
  /** How often a cell sent them to another one. */
  readonly hops: number;
};
export type Ledger = Entry[];

/** Compares the ledger with all databases. Everyone must be in one cell, as the same user, with their message and its answer. */
export async function checkLedger(
  ledger: Ledger,
  cells: readonly { readonly cell: number; readonly database: string }[],
  drained: number,
) {
  const found = new Map<string, { id: string; cell: number; answers: number }[]>();
  for (const { cell, database } of cells)
    for (const row of await readUsers(database)) found.set(row.sub, [...(found.get(row.sub) ?? []), { ...row, cell }]);
  const each = ledger.map((entry) => ({ ...entry, rows: found.get(entry.sub) ?? [] }));
  const atEnd: Record<number, number> = {};
  for (const { rows } of each) for (const { cell } of rows) atEnd[cell] = (atEnd[cell] ?? 0) + 1;
  return {
    atEnd,
    lost: each.filter(({ rows }) => rows.length === 0).length,
    doubled: each.filter(({ rows }) => rows.length > 1).length,
    otherUsers: each.filter(({ id, rows }) => rows.some((row) => row.id !== id)).length,
    withoutAnswer: each.filter(({ rows }) => rows.reduce((sum, { answers }) => sum + answers, 0) !== 1).length,
    leftInDrained: atEnd[drained] ?? 0,
  };
}

type UserRow = { readonly sub: string; readonly id: string; readonly answers: number };

async function readUsers(connectionString: string): Promise<UserRow[]> {
  const open = Object.entries({ ...IDENTITIES_OPEN, 'app.engine': 'on' });
  const client = new pg.Client({
    connectionString,
    options: open.map(([name, value]) => `-c ${name}=${value}`).join(' '),
  });
  await client.connect();
  try {
    return (await client.query<UserRow>(USERS)).rows;
  } finally {
    await client.end();
  }
}

const USERS = `
  select oidc_subject as sub, id,
    (select count(*)::integer from turns where user_id = users.id and status = 'completed') as answers
  from users where oidc_subject is not null`;
