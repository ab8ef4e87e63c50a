import { createHash, timingSafeEqual } from 'node:crypto';

/** Tokens and shared secrets are stored only as this hash. They are random, so a fast hash is enough. */
export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** Compares in constant time. All hashes have the same length. */
export const isSameHash = (one: Buffer, other: Buffer): boolean => timingSafeEqual(one, other);

/** Whether `given` is the secret that `hash` was made from. */
export const equalsSecret = (given: string, hash: Buffer): boolean => isSameHash(hashSecret(given), hash);
