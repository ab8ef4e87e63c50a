/** Who asks. The operator owns the installation; a member is one user among others. */
export type Principal = {
  readonly userId: UserId;
  readonly role: 'operator' | 'member';
};

export type UserId = string;

export const OPERATOR: Principal = { userId: 'operator', role: 'operator' };
