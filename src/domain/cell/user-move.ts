import type { UserId } from '../principal.ts';
import { hashSecret } from '../secret-hash.ts';
import type { OidcIdentity } from '../user.ts';
import type { Cell } from './cell.ts';

/** A user's way to another cell. `leaving`: nothing new is accepted here. `left`: the other cell has everything. `gone`: nothing is left here. */
export type UserMove = {
  /** The same in both cells. */
  readonly id: string;
  readonly subject: UserId;
  readonly cell: Cell;
  readonly state: 'leaving' | 'left' | 'gone';
};

/** The SQLSTATE of a statement that was refused because its user moves. */
export const USER_MOVING = 'RB002';

/** What forwards a person who signs in by email, or with the identity provider. */
export const hashEmail = (email: string): Buffer => hashSecret(`email ${email.toLowerCase()}`);
export const hashIdentity = ({ issuer, subject }: OidcIdentity): Buffer => hashSecret(`identity ${issuer} ${subject}`);
