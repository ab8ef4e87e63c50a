import type { ChatPost } from '#domain/chat/chat.ts';
import { CHAT_CHANNELS } from '#domain/chat/chat-channel.ts';
import type { DeliveryId, DeviceId, EndpointId, GateId, MissionId, ThreadId, TurnId } from '#domain/ids.ts';
import type { DeliveryKind } from '#domain/notification/delivery.ts';
import type { Device } from '#domain/notification/device.ts';
import type { Endpoint, QuietHours } from '#domain/notification/endpoint.ts';
import type { Notice, PauseFacts, RunFacts } from '#domain/notification/notice.ts';
import type { UserId } from '#domain/principal.ts';
import type { Channel, EndedStatus, Failure, TurnRequest } from '#domain/thread/turn.ts';
import type { GatedCall, GateKind } from '#domain/tool/gate.ts';
import type { SystemConnection } from './system-connection.ts';

/** Whether there are rows to route, and whether a target is due. */
export async function findOutboxWork(system: SystemConnection): Promise<{ isNew: boolean; isDue: boolean }> {
  const { rows } = await system.query<{ isNew: boolean; isDue: boolean }>(
    `select exists (select from outbox) as "isNew", exists (select from delivery_targets where due_at <= now()) as "isDue"`,
  );
  return rows[0] ?? { isNew: false, isDue: false };
}

/** A row of the outbox with what it refers to. Columns of other types are null. */
export type OutboxRow = {
  readonly number: string;
  readonly userId: UserId;
  readonly type: string;
  readonly subject: string;
  readonly data: RunFacts | PauseFacts | ChatPost | null;
  readonly threadId: ThreadId | null;
  readonly turnId: TurnId | null;
  readonly status: EndedStatus | null;
  readonly channel: Channel | null;
  /** Of a turn that came from a chat. */
  readonly request: TurnRequest | null;
  /** Of a gate of a child: the request of the run at the root, if that came from a chat. */
  readonly rootRequest: TurnRequest | null;
  readonly failure: Failure | null;
  readonly gateId: GateId | null;
  readonly kind: GateKind | null;
  readonly call: GatedCall | null;
  readonly missionId: MissionId | null;
  readonly missionName: string | null;
  readonly endpointId: EndpointId | null;
  readonly deviceId: DeviceId | null;
  readonly callbackUrl: string | null;
};

/** The oldest rows. A gate that was answered meanwhile has no `gateId`. */
export async function readOutbox(system: SystemConnection, limit: number): Promise<OutboxRow[]> {
  const { rows } = await system.query<OutboxRow>(
    `select o.number, o.user_id as "userId", o.type, o.subject, o.data, turns.thread_id as "threadId", turns.id as "turnId",
       turns.status, turns.failure, turns.channel, case when turns.channel = any($2) then turns.request end as request,
       roots.request as "rootRequest", gates.id as "gateId", gates.kind, gates.call, missions.id as "missionId",
       missions.name as "missionName", endpoints.id as "endpointId", devices.id as "deviceId", jobs.callback_url as "callbackUrl"
     from (select * from outbox order by number limit $1) as o
     left join turns on o.type in ('turn.ended', 'gate.opened') and turns.id = o.subject
     left join turns as roots on o.type = 'gate.opened' and roots.id = turns.tree and roots.thread_id <> turns.thread_id
       and roots.channel = any($2)
     left join gates on o.type = 'gate.opened' and gates.thread_id = turns.thread_id and gates.turn_seq = turns.seq and answered_at is null
     left join missions on o.type like 'mission.%' and missions.id = o.subject
     left join jobs on o.type = 'job.completed' and jobs.id = o.subject
     left join notification_endpoints as endpoints on o.type = 'endpoint.test' and endpoints.id = o.subject
     left join devices on o.type = 'device.test' and devices.id = o.subject
     order by o.number`,
    [limit, CHAT_CHANNELS],
  );
  return rows;
}

/** An endpoint that may get events of `eventUserId`. */
export type Subscription = Endpoint & { readonly eventUserId: UserId | null; readonly quiet: QuietHours | null };

/**
 * The endpoints of these users, of the users that they are paired with, and those for the events of all users, which have no
 * `eventUserId`.
 */
export async function findSubscriptions(system: SystemConnection, users: readonly UserId[]): Promise<Subscription[]> {
  const { rows } = await system.query<Subscription>(
    `select endpoints.id, endpoints.user_id as "userId", name, url, events, turns, everyone, results, gone_at as "goneAt",
       endpoints.created_at as "createdAt", quiet, wanted.event_user as "eventUserId"
     from (
       select id, user_id as event_user from notification_endpoints where user_id = any($1) and not everyone
       union select endpoints.id, pairings.user_id from pairings
         join notification_endpoints as endpoints on endpoints.user_id = paired_user_id and not everyone
         where pairings.user_id = any($1)
       union select id, null from notification_endpoints where everyone
     ) as wanted
     join notification_endpoints as endpoints on endpoints.id = wanted.id
     left join notification_preferences as preferences on preferences.user_id = endpoints.user_id
     where gone_at is null`,
    [users],
  );
  return rows;
}

/** A device that may get events of `eventUserId`. */
export type PushTarget = Pick<Device, 'id' | 'userId' | 'endpoint' | 'events'> & {
  readonly eventUserId: UserId;
  readonly quiet: QuietHours | null;
};

/** The devices of these users, and of the users that they are paired with. */
export async function findPushTargets(system: SystemConnection, users: readonly UserId[]): Promise<PushTarget[]> {
  const { rows } = await system.query<PushTarget>(
    `select devices.id, devices.user_id as "userId", endpoint, events, quiet, wanted.event_user as "eventUserId"
     from (
       select unnest($1::text[]) as owner, unnest($1::text[]) as event_user
       union select paired_user_id, user_id from pairings where user_id = any($1)
     ) as wanted
     join devices on devices.user_id = wanted.owner
     left join notification_preferences as preferences on preferences.user_id = devices.user_id
     order by devices.id`,
    [users],
  );
  return rows;
}

export type NewDelivery = {
  /** The row of the outbox that it comes from. */
  readonly number: string;
  readonly id: DeliveryId;
  readonly userId: UserId;
  readonly kind: DeliveryKind;
  readonly target: string;
  readonly account: string;
  readonly type: string;
  readonly payload: Notice | ChatPost | null;
  readonly dueAt: Date;
};

/** Replaces rows of the outbox by their deliveries; null when another replica does so at this moment. */
export async function routeOutbox(
  system: SystemConnection,
  numbers: readonly string[],
  made: readonly NewDelivery[],
): Promise<number | null> {
  const { rows } = await system.query<{ routed: number | null }>(
    `select route_outbox($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) as routed`,
    [
      numbers,
      made.map(({ number }) => number),
      made.map(({ id }) => id),
      made.map(({ userId }) => userId),
      made.map(({ kind }) => kind),
      made.map(({ target }) => target),
      made.map(({ account }) => account),
      made.map(({ type }) => type),
      made.map(({ payload }) => payload && JSON.stringify(payload)),
      made.map(({ dueAt }) => dueAt),
    ],
  );
  return rows[0]?.routed ?? null;
}
