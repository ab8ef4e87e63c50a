import { isChatChannel } from '#domain/chat/chat-channel.ts';
import { type DeliveryId, isUuid, newId } from '#domain/ids.ts';
import type { Notice } from '#domain/notification/notice.ts';
import { findNoticeChats } from '#store/system/chats.ts';
import {
  findPushTargets,
  findSubscriptions,
  type NewDelivery,
  type OutboxRow,
  type PushTarget,
  readOutbox,
  routeOutbox,
  type Subscription,
} from '#store/system/outbox.ts';
import type { SystemConnection } from '#store/system/system-connection.ts';
import { findQuietEnd } from './quiet-hours.ts';
import { chatDeliveriesOf } from './route-chats.ts';

const BATCH = 200;

/** Turns rows of the outbox into deliveries, by the preferences that users have now. */
export async function routeRows(system: SystemConnection, now: () => Date = () => new Date()): Promise<void> {
  for (;;) {
    const rows = await readOutbox(system, BATCH);
    if (rows.length === 0) return;
    const notices = rows.flatMap((row) => toNotice(row) ?? []);
    const users = [...new Set(notices.map(({ userId }) => userId))];
    const subscriptions = users.length > 0 ? await findSubscriptions(system, users) : [];
    const chats = users.length > 0 ? await findNoticeChats(system, users) : [];
    const devices = users.length > 0 ? await findPushTargets(system, users) : [];
    const made = rows.flatMap((row) => [
      ...deliveriesOf(row, subscriptions, now()),
      ...chatDeliveriesOf(row, toNotice(row), chats, now()),
      ...pushesOf(row, devices, now()),
    ]);
    const routed = await routeOutbox(
      system,
      rows.map(({ number }) => number),
      made,
    );
    if (routed === null || rows.length < BATCH) return;
  }
}

function deliveriesOf(row: OutboxRow, subscriptions: readonly Subscription[], now: Date): NewDelivery[] {
  const { number, type } = row;
  if (type === 'job.completed') return callbackOf(row, now);
  const notice = toNotice(row);
  if (!notice || isChatReply(row, notice)) return [];
  return subscriptions
    .filter((subscription) => wants(subscription, notice))
    .map(({ id, userId, url, quiet }) => ({
      number,
      id: newId<DeliveryId>(),
      userId,
      kind: 'event',
      target: `endpoint:${id}`,
      account: accountOf(url),
      type,
      payload: notice,
      dueAt: (quiet && type !== 'endpoint.test' && findQuietEnd(quiet, now)) || now,
    }));
}

/** The end of a turn that came from a chat is shown there. Endpoints get the ends of webhook turns. */
const isChatReply = ({ channel }: OutboxRow, { type }: Notice) =>
  type === 'turn.ended' && channel !== null && isChatChannel(channel);

function pushesOf(row: OutboxRow, devices: readonly PushTarget[], now: Date): NewDelivery[] {
  const notice = toNotice(row);
  if (!notice || isChatReply(row, notice)) return [];
  const { number, type } = row;
  return devices
    .filter((device) => isFor(device, notice))
    .map(({ id, userId, endpoint, quiet }) => ({
      number,
      id: newId<DeliveryId>(),
      userId,
      kind: 'push',
      target: `device:${id}`,
      account: accountOf(endpoint),
      type,
      payload: notice,
      dueAt: (quiet && notice.type !== 'device.test' && findQuietEnd(quiet, now)) || now,
    }));
}

/** Of turns, people hear only when one has failed. */
function isFor({ id, eventUserId, events }: PushTarget, notice: Notice): boolean {
  if (eventUserId !== notice.userId || notice.type === 'endpoint.test') return false;
  if (notice.type === 'device.test') return id === notice.deviceId;
  return events.includes(notice.type) && (notice.type !== 'turn.ended' || notice.status === 'failed');
}

/** The delivery has the id of its job, so that receivers recognise repeats. */
function callbackOf({ number, userId, subject, type, callbackUrl }: OutboxRow, now: Date): NewDelivery[] {
  if (callbackUrl === null || !isUuid<DeliveryId>(subject)) return [];
  const account = accountOf(callbackUrl);
  const target = `job:${subject}`;
  return [{ number, id: subject, userId, kind: 'callback', target, account, type, payload: null, dueAt: now }];
}

const accountOf = (url: string) => `host:${URL.parse(url)?.host ?? ''}`;

/** undefined when what the row is about is gone, or was answered already. */
function toNotice(row: OutboxRow): Notice | undefined {
  const { userId, type, threadId, turnId, status, failure, gateId, kind, call, missionId, missionName, data } = row;
  switch (type) {
    case 'turn.ended':
      return threadId && turnId && status && status !== 'waiting'
        ? { userId, type, threadId, turnId, status, failure }
        : undefined;
    case 'gate.opened':
      return threadId && turnId && gateId && kind && call
        ? { userId, type, threadId, turnId, gateId, kind, tool: call.name }
        : undefined;
    case 'mission.completed':
    case 'mission.failed':
      return missionId && missionName !== null && data && 'slot' in data
        ? { userId, type, missionId, name: missionName, ...data }
        : undefined;
    case 'mission.paused':
      return missionId && missionName !== null && data && 'reason' in data && data.reason
        ? { userId, type, missionId, name: missionName, reason: data.reason }
        : undefined;
    case 'limit.requested':
      return { userId, type };
    case 'endpoint.test':
      return row.endpointId ? { userId, type, endpointId: row.endpointId } : undefined;
    case 'device.test':
      return row.deviceId ? { userId, type, deviceId: row.deviceId } : undefined;
    default:
      return undefined;
  }
}

function wants({ id, eventUserId, everyone, events, turns }: Subscription, notice: Notice): boolean {
  if (notice.type === 'limit.requested' && !everyone) return false;
  if (notice.type === 'device.test' || (!everyone && eventUserId !== notice.userId)) return false;
  if (notice.type === 'endpoint.test') return id === notice.endpointId;
  if (!events.includes(notice.type)) return false;
  return notice.type !== 'turn.ended' || turns === 'all' || notice.status === 'failed';
}
