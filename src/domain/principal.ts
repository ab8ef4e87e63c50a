import { Forbidden } from './errors.ts';

/** Who asks. The operator owns the installation; a member is one user among others. */
export type Principal = {
  readonly userId: UserId;
  readonly role: Role;
};

export type UserId = string;
export type Role = 'operator' | 'member';

export const OPERATOR: Principal = { userId: 'operator', role: 'operator' };

export function requireOperator({ role }: Principal): void {
  if (role !== 'operator')
    throw new Forbidden('operator_only', "Only the operator may do this. Ask with an operator's token.");
}
