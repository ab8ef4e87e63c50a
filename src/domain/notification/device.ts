import type { DeviceId } from '../ids.ts';
import type { UserId } from '../principal.ts';
import type { NoticeType } from './notice.ts';

/** A browser that shows a user's notifications, by Web Push. */
export type Device = {
  readonly id: DeviceId;
  readonly userId: UserId;
  readonly name: string;
  /** The address at the browser's push service. */
  readonly endpoint: string;
  readonly publicKey: Buffer;
  readonly auth: Buffer;
  readonly events: readonly NoticeType[];
  /** Whether notifications name tools and missions. */
  readonly details: boolean;
  readonly createdAt: Date;
};

export type NewDevice = Pick<Device, 'name' | 'endpoint' | 'publicKey' | 'auth' | 'events' | 'details'>;
