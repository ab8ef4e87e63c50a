import { RateLimited } from '#domain/errors.ts';
import type { Principal, UserId } from '#domain/principal.ts';
import type { Database } from '#store/connection.ts';
import { readPersonRows } from '#store/person-rows.ts';

export type PersonExport = ReturnType<typeof createPersonExport>;

type ReadAccount = (userId: UserId) => AsyncIterable<{ readonly table: string; readonly row: object }>;

const RETRY_SECONDS = 60;

/** Everything about a user, as lines of JSON. A user has one export at a time. */
export function createPersonExport(db: Database, account: ReadAccount) {
  const running = new Set<UserId>();

  return (owner: Pick<Principal, 'userId'>): AsyncGenerator<string> => {
    if (running.has(owner.userId))
      throw new RateLimited(RETRY_SECONDS, 'An export is already running. Wait until it is complete.');
    return linesOf(db, account, owner, running);
  };
}

/** The last line has the number of rows, so that a cut file is noticed. */
async function* linesOf(
  db: Database,
  account: ReadAccount,
  { userId }: Pick<Principal, 'userId'>,
  running: Set<UserId>,
): AsyncGenerator<string> {
  running.add(userId); // here, because a generator that was never read does not reach its end
  try {
    let rows = 0;
    yield line({ reborn_export: 1, user_id: userId, exported_at: new Date() });
    for await (const { table, row } of account(userId)) {
      rows++;
      yield line({ table, row });
    }
    for await (const { table, json } of readPersonRows(db, { userId })) {
      rows++;
      yield `{"table":${JSON.stringify(table)},"row":${json}}\n`;
    }
    yield line({ end: true, rows });
  } finally {
    running.delete(userId);
  }
}

const line = (value: object) => `${JSON.stringify(value)}\n`;
