import { listOldTransactions } from '#store/system/old-transactions.ts';
import type { SystemConnection } from '#store/system/system-connection.ts';
import { type Finding, warning } from './finding.ts';

/** The service's own transactions take seconds. */
const OLD_MINUTES = 60;

/** Whether a forgotten transaction is open: every turn leaves rows behind that can't be removed while it is. */
export async function checkTransactions(system: SystemConnection, oldMinutes = OLD_MINUTES): Promise<Finding[]> {
  const transactions = await listOldTransactions(system, oldMinutes);
  return transactions.map(({ pid, program, state, minutes }) =>
    warning(
      'database',
      `A transaction of ${program || 'a program without a name'} has been open for ${minutes} minutes (${state}). Until it ends, PostgreSQL can't remove deleted rows, and turns get slower.`,
      `End it in its program, or with: select pg_terminate_backend(${pid})`,
    ),
  );
}
