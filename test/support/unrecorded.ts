import { type Audited, audited } from '#store/audit.ts';
import type { OwnedTransaction } from '#store/connection.ts';
import type { IdentityTransaction } from '#store/identity-connection.ts';

/** Changes a table for a test without an audit row. */
export const unrecorded = <Trx extends OwnedTransaction | IdentityTransaction, T>(
  trx: Trx,
  act: (trx: Audited<Trx>) => Promise<T>,
): Promise<T> => audited(trx, act, () => 'no right changed');
