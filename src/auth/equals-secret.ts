import { createHash, timingSafeEqual } from 'node:crypto';

/** Whether `given` is the secret of which `hash` is kept. Hashes are all of one length, so the time it takes tells nothing. */
export function equalsSecret(given: string, hash: Buffer): boolean {
  return timingSafeEqual(hashSecret(given), hash);
}

export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();
