import { createHash, timingSafeEqual } from 'node:crypto';

/** The only form in which a token is kept. Tokens are random, so a fast hash is enough. */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();

/** Takes the same time wherever the two differ. Hashes are of one length, so even that tells nothing. */
export const isSameHash = (one: Buffer, other: Buffer): boolean => timingSafeEqual(one, other);
