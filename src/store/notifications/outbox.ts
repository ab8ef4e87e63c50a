import type { ChatPost } from '#domain/chat/chat.ts';
import type { DeviceId, EndpointId, MissionId, UpdateId } from '#domain/ids.ts';
import type { RunFacts } from '#domain/notification/notice.ts';
import type { OwnedTransaction, Owner } from '../connection.ts';

/** An event that a transaction causes. Turns, gates and jobs announce theirs by a trigger of their table. */
export type NewEvent =
  | { readonly type: 'mission.completed' | 'mission.failed'; readonly subject: MissionId; readonly data: RunFacts }
  /** The owner of the event asks for a higher limit. The subject only distinguishes one request from another. */
  | { readonly type: 'limit.requested'; readonly subject: string }
  | { readonly type: 'endpoint.test'; readonly subject: EndpointId }
  | { readonly type: 'device.test'; readonly subject: DeviceId }
  /** Its delivery has the id of the update that it answers, so that there is one, even if the update is handled several times. */
  | { readonly type: 'chat.post'; readonly subject: UpdateId; readonly data: ChatPost };

/**
 * Announces an event in the transaction that causes it: if the transaction commits, the event can't be lost. A replica routes it to
 * the endpoints of the owner within a second or two.
 */
export async function emit(trx: OwnedTransaction, owner: Owner, event: NewEvent): Promise<void> {
  const data = 'data' in event ? JSON.stringify(event.data) : null;
  await trx
    .insertInto('outbox')
    .values({ userId: owner.userId, type: event.type, subject: event.subject, data })
    .execute();
}
