import { type Audited, audited } from '#store/audit.ts';
import type { OwnedTransaction } from '#store/connection.ts';
import type { IdentityTransaction } from '#store/identity-connection.ts';

/** Sets a table up for a test, without a row in the audit log. */
export const unrecorded = <Trx extends OwnedTransaction | IdentityTransaction, T>(
  trx: Trx,
  act: (trx: Audited<Trx>) => Promise<T>,
): Promise<T> => audited(trx, act, () => 'no right changed');
