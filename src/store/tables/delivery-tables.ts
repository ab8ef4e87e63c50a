import type { Generated, JSONColumnType } from 'kysely';
import type { ChatPost } from '#domain/chat/chat.ts';
import type { DeliveryId, DeviceId, EndpointId, ReplicaId } from '#domain/ids.ts';
import type { Delivery, DeliveryAttempt } from '#domain/notification/delivery.ts';
import type { Endpoint, QuietHours } from '#domain/notification/endpoint.ts';
import type { Notice, NoticeType } from '#domain/notification/notice.ts';

/** What is sent to targets outside. */
export type DeliveryTables = {
  outbox: {
    number: Generated<string>;
    userId: string;
    type: string;
    subject: string;
    data: JSONColumnType<object> | null;
    createdAt: Generated<Date>;
  };
  deliveries: {
    id: DeliveryId;
    userId: string;
    kind: Delivery['kind'];
    target: string;
    account: string;
    seq: Generated<string>;
    type: string;
    payload: JSONColumnType<Notice | ChatPost> | null;
    state: Generated<Delivery['state']>;
    attempts: Generated<number>;
    failures: Generated<number>;
    dueAt: Date;
    remoteId: string | null;
    lastError: string | null;
    createdAt: Date;
    endedAt: Date | null;
  };
  deliveryTargets: { target: string; userId: string; account: string; dueAt: Date };
  deliveryAttempts: {
    deliveryId: DeliveryId;
    attempt: number;
    userId: string;
    replica: ReplicaId;
    startedAt: Generated<Date>;
    endedAt: Date | null;
    outcome: DeliveryAttempt['outcome'];
    status: number | null;
    retryAfter: number | null;
    error: string | null;
  };
  notificationEndpoints: {
    id: EndpointId;
    userId: string;
    name: string;
    url: string;
    events: NoticeType[];
    turns: Endpoint['turns'];
    everyone: boolean;
    results: boolean;
    goneAt: Date | null;
    createdAt: Generated<Date>;
  };
  devices: {
    id: DeviceId;
    userId: string;
    name: string;
    endpoint: string;
    publicKey: Buffer;
    auth: Buffer;
    events: NoticeType[];
    details: boolean;
    sessionHash: Buffer | null;
    createdAt: Generated<Date>;
  };
  notificationPreferences: {
    userId: string;
    quiet: JSONColumnType<QuietHours> | null;
    updatedAt: Generated<Date>;
  };
};
