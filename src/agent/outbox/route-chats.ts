import { type ChatPlace, type ChatPost, placeIn } from '#domain/chat/chat.ts';
import { isChatChannel } from '#domain/chat/chat-channel.ts';
import { type DeliveryId, isUuid, newId } from '#domain/ids.ts';
import type { Notice } from '#domain/notification/notice.ts';
import type { NoticeChat } from '#store/system/chats.ts';
import type { NewDelivery, OutboxRow } from '#store/system/outbox.ts';
import { findQuietEnd } from './quiet-hours.ts';

/**
 * What a row of the outbox sends to chats: the reply to a message there, words of the service, or a notice. What a child waits for is
 * asked in the chat of the message that it works for.
 */
export function chatDeliveriesOf(
  row: OutboxRow,
  notice: Notice | undefined,
  chats: readonly NoticeChat[],
  now: Date,
): NewDelivery[] {
  const { number, userId, type, subject, data } = row;
  const reply = replyOf(row);
  if (reply && row.turnId && isUuid<DeliveryId>(row.turnId)) return [{ ...reply, id: row.turnId, number, dueAt: now }];
  if (type === 'chat.post' && data && 'accountId' in data && isUuid<DeliveryId>(subject))
    return [{ ...toDelivery(data, type, data), id: subject, number, dueAt: now }];
  if (!notice || notice.type === 'turn.ended' || notice.type === 'limit.requested' || isTest(notice)) return [];
  const asked = row.rootRequest && placeIn(row.rootRequest.echo);
  if (asked) {
    const post = { ...asked, type: 'chat.post', userId, shows: 'notice', notice } as const;
    return [{ ...toDelivery(asked, type, post), id: newId<DeliveryId>(), number, dueAt: now }];
  }
  return chats
    .filter((chat) => chat.userId === userId)
    .map(({ accountId, chat, quiet }) => {
      const post = { accountId, chat, type: 'chat.post', userId, shows: 'notice', notice } as const;
      const dueAt = (quiet && findQuietEnd(quiet, now)) || now;
      return { ...toDelivery(post, type, post), id: newId<DeliveryId>(), number, dueAt };
    });
}

/** The delivery has the id of the turn: the message that streams its reply is the same one. */
function replyOf({ channel, request, threadId, turnId, userId, type }: OutboxRow) {
  const place = channel && isChatChannel(channel) && request ? placeIn(request.echo) : undefined;
  if (!place || !threadId || !turnId) return undefined;
  return toDelivery(place, type, { ...place, type: 'chat.post', userId, shows: 'turn', threadId, turnId });
}

/** Platforms limit each chat, so a pause holds for one chat. */
function toDelivery({ accountId, chat }: ChatPlace, type: string, payload: ChatPost) {
  const target = `chat:${accountId}:${chat}`;
  return { userId: payload.userId, kind: 'chat' as const, target, account: target, type, payload };
}

/** Tests go to the endpoint or device that they name. */
const isTest = ({ type }: Notice) => type === 'endpoint.test' || type === 'device.test';
