import { Forbidden } from './errors.ts';

/** The caller of a request. Operators own the installation; members are its other users. */
export type Principal = {
  readonly userId: UserId;
  readonly role: Role;
};

export type UserId = string;
export type Role = 'operator' | 'member';

export const OPERATOR: Principal = { userId: 'operator', role: 'operator' };

export const isOperator = ({ role }: Principal): boolean => role === 'operator';

/** Whose data a list holds: one user's, or everyone's. */
export type Scope = Pick<Principal, 'userId'> | 'everyone';

/** Operators see everyone's data, members their own. */
export const scopeOf = (principal: Principal): Scope => (isOperator(principal) ? 'everyone' : principal);

export const canSee = (principal: Principal, userId: UserId): boolean =>
  isOperator(principal) || principal.userId === userId;

export function requireOperator(principal: Principal): void {
  if (!isOperator(principal))
    throw new Forbidden('operator_only', "Only the operator may do this. Ask with an operator's token.");
}
