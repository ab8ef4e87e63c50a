import { Forbidden } from './errors.ts';
import type { Principal } from './principal.ts';

export function requireOperator({ role }: Principal): void {
  if (role !== 'operator')
    throw new Forbidden('operator_only', "Only the operator may do this. Ask with an operator's token.");
}
