import type { RunningCell } from '../../test/support/cells.ts';

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

/** Compares the ledger with all databases. Everybody must be in one cell, as the same user, with their message and its answer. */
export async function checkLedger(
  ledger: Ledger,
  cells: readonly Pick<RunningCell, 'cell' | 'home'>[],
  drained: number,
) {
  const found = new Map<string, { id: string; cell: number; answers: number }[]>();
  for (const { cell, home } of cells)
    for (const row of await home.query<{ sub: string; id: string; answers: number }>(USERS))
      found.set(row.sub, [...(found.get(row.sub) ?? []), { ...row, cell }]);
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

const USERS = `
  select oidc_subject as sub, id,
    (select count(*)::integer from turns where user_id = users.id and status = 'completed') as answers
  from users where oidc_subject is not null`;
