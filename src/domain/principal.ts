/** Who asks. The operator owns the installation; a member is one user among others. */
export type Principal = {
  readonly userId: UserId;
  readonly role: Role;
};

export type UserId = string;
export type Role = 'operator' | 'member';

export const OPERATOR: Principal = { userId: 'operator', role: 'operator' };
