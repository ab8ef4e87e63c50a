import type { TokenId } from './ids.ts';
import type { Role, UserId } from './principal.ts';

/** A person or program with an account. The operator of the static tokens has no such row. */
export type User = {
  readonly id: UserId;
  readonly name: string;
  readonly email: string | null;
  readonly role: Role;
  readonly createdAt: Date;
};

/** A user's token without its secret, which is shown only once. */
export type Token = {
  readonly id: TokenId;
  readonly userId: UserId;
  readonly name: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
};

/** A link that makes a person a user, once. Its secret is shown only when it is made. */
export type Invitation = {
  readonly id: string;
  /** Who invites. */
  readonly userId: UserId;
  readonly role: Role;
  /** Whom it is meant for, as operators call them. */
  readonly name: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
};

/** A user as their identity provider knows them. */
export type OidcIdentity = { readonly issuer: string; readonly subject: string };

/** How a browser signed in: with a token, by a sign-in link, or with the identity provider. */
export type SignInMethod = 'token' | 'code' | 'oidc';

/** A signed-in browser of a user. */
export type Session = {
  readonly id: string;
  readonly userId: UserId;
  readonly method: SignInMethod;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
};
