import { createHash, randomFillSync } from 'node:crypto';
import { cellDigits } from './cell/cell.ts';

declare const brand: unique symbol;

/** A string that the compiler does not confuse with an id of another kind. */
type Branded<Name extends string> = string & { readonly [brand]: Name };

export type ThreadId = Branded<'ThreadId'>;
export type ProjectId = Branded<'ProjectId'>;
export type TurnId = Branded<'TurnId'>;
export type ItemId = Branded<'ItemId'>;
export type GateId = Branded<'GateId'>;
export type ReplicaId = Branded<'ReplicaId'>;
export type AssistantId = Branded<'AssistantId'>;
export type MissionId = Branded<'MissionId'>;
export type TokenId = Branded<'TokenId'>;
export type DeliveryId = Branded<'DeliveryId'>;
export type EndpointId = Branded<'EndpointId'>;
export type ChatAccountId = Branded<'ChatAccountId'>;
export type UpdateId = Branded<'UpdateId'>;
/** The SHA-256 of the bytes of an attachment, in hex. It identifies them among the attachments of one owner. */
export type AttachmentHash = Branded<'AttachmentHash'>;
/** The name of an object in the bucket of attachments. It can't be guessed, and callers never see it. */
export type ObjectKey = Branded<'ObjectKey'>;
export type WorkspaceId = Branded<'WorkspaceId'>;
/** A file that was uploaded to be named in later requests. */
export type UploadId = Branded<'UploadId'>;
export type VectorStoreId = Branded<'VectorStoreId'>;
export type FileBatchId = Branded<'FileBatchId'>;
export type DeviceId = Branded<'DeviceId'>;

/** The ids that locate a turn without a lookup. */
export type TurnIds = { readonly threadId: ThreadId; readonly turnId: TurnId };

/** A UUIDv7: later ids sort later, so that indexes grow at their end. In a cell, its last three digits are the cell. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the kind of id
export function newId<Id extends string>(now: number = Date.now()): Id {
  return idAt<Id>(now, takeRandomBytes());
}

/** The id of something that gets the same one each time: its random part is a hash of the name. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the kind of id
export function idFor<Id extends string>(name: string, at: number): Id {
  return idAt<Id>(at, createHash('sha256').update(name).digest().subarray(0, 16));
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the kind of id
function idAt<Id extends string>(time: number, bytes: Buffer): Id {
  bytes.writeUIntBE(time, 0, 6);
  bytes[6] = 0x70 | (bytes.readUInt8(6) & 0x0f);
  bytes[8] = 0x80 | (bytes.readUInt8(8) & 0x3f);
  const digits = cellDigits();
  return uuidFromHex<Id>(bytes.toString('hex').slice(0, 32 - digits.length) + digits);
}

const random = Buffer.allocUnsafeSlow(4096);
let taken = random.length;

/** 16 random bytes, each of which is given once. Asking the system for many at a time costs less. */
function takeRandomBytes(): Buffer {
  if (taken === random.length) {
    randomFillSync(random);
    taken = 0;
  }
  taken += 16;
  return random.subarray(taken - 16, taken);
}

/** Sorts before every id that is made at this time or later. */
export const firstIdAt = (time: number): string => uuidFromHex(time.toString(16).padStart(12, '0').padEnd(32, '0'));

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the kind of id
export const isUuid = <Id extends string>(text: string): text is Id => UUID.test(text);

/** Turns 32 hex digits into the dashed form. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the kind of id
export function uuidFromHex<Id extends string>(hex: string): Id {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}` as Id;
}

export function hexFromUuid(uuid: string): string {
  return uuid.replaceAll('-', '');
}
