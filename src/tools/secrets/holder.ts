import type { Owner } from '#store/connection.ts';

/** Whose secret it is: a user's own, or everyone's, which the operator has stored for the whole installation. */
export type SecretHolder = Owner | 'everyone';

const EVERYONE: Owner = { userId: '*' };

/** The owner of the holder's rows. A user with the id of everyone is refused. */
export function ownerOf(holder: SecretHolder): Owner {
  if (holder === 'everyone') return EVERYONE;
  if (holder.userId === EVERYONE.userId || holder.userId === '')
    throw new Error(`"${holder.userId}" is not a user, and has no secrets.`);
  return holder;
}

/** A user's own secret comes before everyone's. */
export function holdersFor(owner: SecretHolder): SecretHolder[] {
  return owner === 'everyone' ? ['everyone'] : [owner, 'everyone'];
}
