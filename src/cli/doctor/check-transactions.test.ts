import { expect, onTestFinished, test } from 'vitest';
import { openMigratedDatabase } from '../../../test/support/migrated-database.ts';
import { checkTransactions } from './check-transactions.ts';

test('a transaction that has been open for long is reported with the command that ends it', async () => {
  const database = await openMigratedDatabase();
  onTestFinished(() => database.close());
  const forgotten = await database.everything.connect();
  onTestFinished(() => forgotten.release(true));
  await forgotten.query(`set application_name = 'a forgotten psql'; begin`);
  const { rows } = await forgotten.query<{ pid: number }>('select pg_backend_pid() as pid');

  expect(await checkTransactions(database.everything)).toEqual([]);
  expect(await checkTransactions(database.everything, 0)).toEqual([
    {
      check: 'database',
      level: 'warning',
      message: expect.stringContaining('a forgotten psql has been open for 0 minutes (idle in transaction)') as string,
      mend: expect.stringContaining(`pg_terminate_backend(${rows[0]?.pid})`) as string,
    },
  ]);
});
