import { createHash, timingSafeEqual } from 'node:crypto';

/** The only form in which a token or shared secret is kept for comparing. They are random, so a fast hash is enough. */
export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** Takes the same time wherever the two differ. Hashes are of one length, so even that tells nothing. */
export const isSameHash = (one: Buffer, other: Buffer): boolean => timingSafeEqual(one, other);

/** Whether `given` is the secret of which `hash` is kept. */
export const equalsSecret = (given: string, hash: Buffer): boolean => isSameHash(hashSecret(given), hash);
