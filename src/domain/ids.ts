import { randomBytes } from 'node:crypto';

export type ThreadId = string;
export type TurnId = string;
export type ItemId = string;
export type GateId = string;
export type ReplicaId = string;
export type TokenId = string;

/** The ids that locate a turn without a lookup. */
export type TurnIds = { readonly threadId: ThreadId; readonly turnId: TurnId };

/** A UUIDv7: later ids sort later, so that indexes grow at their end. */
export function newId(now: number = Date.now()): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(now, 0, 6);
  bytes[6] = 0x70 | (bytes.readUInt8(6) & 0x0f);
  bytes[8] = 0x80 | (bytes.readUInt8(8) & 0x3f);
  return uuidFromHex(bytes.toString('hex'));
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

export const isUuid = (text: string): boolean => UUID.test(text);

/** Turns 32 hex digits into the dashed form. */
export function uuidFromHex(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

export function hexFromUuid(uuid: string): string {
  return uuid.replaceAll('-', '');
}
