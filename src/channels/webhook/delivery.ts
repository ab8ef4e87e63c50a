import { createHash } from 'node:crypto';
import { InvalidRequest, InvalidSecret } from '#domain/errors.ts';
import { equalsSecret, hashSecret } from '#domain/secret-hash.ts';

/** What a foreign sender posted, before anything is believed. Header names are in lower case, as Node gives them. */
export type Delivery = {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  readonly now: Date;
};

/** A header that must be present exactly once. */
export function getHeader(delivery: Delivery, name: string): string {
  const value = findHeader(delivery, name);
  if (!value) throw new InvalidSecret(`Send the header ${name}, once.`);
  return value;
}

export function findHeader({ headers }: Delivery, name: string): string | undefined {
  const value = headers[name.toLowerCase()];
  if (!Array.isArray(value)) return value;
  return value.length === 1 ? value[0] : undefined;
}

/** Says the same about every wrong signature, so that nothing is learnt from it. All of them are compared. */
export function checkSignatures(given: readonly string[], expected: string, header: string): void {
  const hash = hashSecret(expected);
  const matches = given.filter((signature) => equalsSecret(signature, hash));
  if (matches.length === 0)
    throw new InvalidSecret(
      `${header} does not fit the body. Use the same secret on both sides, and send the body as it was signed.`,
    );
}

const TOLERANCE_SECONDS = 5 * 60;

/** A signed time must be near ours, or an old delivery could be sent again after its id is forgotten. */
export function parseFreshTimestamp(value: string, now: Date, header: string): number {
  if (!/^[1-9]\d{0,11}$/.test(value)) throw new InvalidSecret(`${header} has no time in seconds since 1970.`);
  const timestamp = Number(value);
  if (Math.abs(now.getTime() / 1000 - timestamp) > TOLERANCE_SECONDS)
    throw new InvalidSecret(`The time in ${header} is more than 5 minutes off. Check the clocks, and send it again.`);
  return timestamp;
}

const MAX_ID_BYTES = 256;

/** An id that the sender gave. */
export function checkDeliveryId(id: string, where: string): string {
  if (id === '' || Buffer.byteLength(id) > MAX_ID_BYTES)
    throw new InvalidRequest('invalid_request', null, `${where} must be 1 to ${MAX_ID_BYTES} bytes long.`);
  return id;
}

export const digestOf = (body: Buffer): string => createHash('sha256').update(body).digest('hex');
