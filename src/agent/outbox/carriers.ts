import { NotFound } from '#domain/errors.ts';
import { type EndpointId, isUuid } from '#domain/ids.ts';
import type { Delivery } from '#domain/notification/delivery.ts';
import type { EndpointNotice, Notice } from '#domain/notification/notice.ts';
import type { JobId } from '#domain/thread/job.ts';
import type { Egress } from '#egress/egress.ts';
import { type Database, withOwner } from '#store/connection.ts';
import { findEndpoint } from '#store/notifications/endpoints.ts';
import { findTurnRecord } from '#store/threads/turns.ts';
import type { Secrets } from '#tools/secrets/secrets.ts';
import type { JobRecord, Jobs } from '../jobs.ts';
import { replyOf, wordsOf } from '../watch/turn-reply.ts';
import type { Carry } from './deliver.ts';
import { endpointSecret } from './notifications.ts';
import { postSigned } from './post-signed.ts';

/** Carries notices to endpoints. The secret and the address are read for each attempt, so that a removed endpoint gets nothing. */
export function createEventCarrier(parts: {
  readonly db: Database;
  readonly secrets: Secrets;
  readonly egress: Egress;
  /** `result`: what the run of a mission said, if the endpoint gets it. */
  readonly render: (notice: EndpointNotice, at: Date, result: string | undefined) => string;
}): Carry {
  const { db, secrets, egress, render } = parts;
  return async (delivery, call) => {
    const owner = { userId: delivery.userId };
    const id = idIn<EndpointId>(delivery);
    const endpoint = id && (await withOwner(db, owner, (trx) => findEndpoint(trx, owner, id)));
    const secret = endpoint && (await secrets.inVault(owner, (vault) => vault.find(endpointSecret(endpoint.id))));
    const notice = delivery.payload;
    if (!endpoint || !secret || !notice || notice.type === 'device.test' || notice.type === 'chat.post')
      return { outcome: 'gone', error: 'The endpoint was removed.' };
    const result = endpoint.results ? await readResult(db, notice) : undefined;
    const body = render(notice, delivery.createdAt, result);
    return postSigned(egress, { ...call, url: endpoint.url, id: delivery.id, body, secret: secret.reveal() });
  };
}

/** Read for each attempt, so that a delivery that waits keeps no content. undefined when there is none, or none any more. */
async function readResult(db: Database, notice: Notice): Promise<string | undefined> {
  if (notice.type !== 'mission.completed' || !notice.threadId || !notice.turnId) return undefined;
  const { userId, threadId, turnId } = notice;
  const record = await withOwner(db, { userId }, (trx) => findTurnRecord(trx, { userId }, threadId, turnId));
  return record && wordsOf(replyOf(record));
}

export type CallbackRules = {
  /** The body to send. */
  readonly render: (record: JobRecord) => string;
  readonly secret: string;
  /** Whether a host may be called. Checked before each call, because the list can change. */
  readonly isAllowed: (url: string) => boolean;
};

/** Carries completed jobs to their `callback_url`. Without rules, the webhook channel is off here, and callbacks wait. */
export function createCallbackCarrier(egress: Egress, jobs: Jobs, rules: CallbackRules | undefined): Carry {
  return async (delivery, call) => {
    const id = idIn<JobId>(delivery);
    const record = id && (await findJob(jobs, id));
    const url = record?.job.callback?.url;
    if (!record || url === undefined) return { outcome: 'refused', error: 'The job was deleted.' };
    if (!rules) return { outcome: 'limited', error: CHANNEL_OFF, retryAfterSeconds: 10 };
    if (!rules.isAllowed(url)) return { outcome: 'refused', error: 'The host is not in WEBHOOK_CALLBACK_HOSTS.' };
    const body = rules.render(record);
    const namedPort = Number(URL.parse(url)?.port) || undefined; // `isAllowed` has compared it with the operator's list
    return postSigned(egress, { ...call, url, namedPort, id: delivery.id, body, secret: rules.secret });
  };
}

const CHANNEL_OFF = 'The webhook channel is off on this replica: HTTP_WEBHOOK_SECRET is not set.';

async function findJob(jobs: Jobs, id: JobId): Promise<JobRecord | undefined> {
  try {
    return await jobs.getJob(id);
  } catch (error) {
    if (error instanceof NotFound) return undefined;
    throw error;
  }
}

/** The id in a target such as `endpoint:ID`. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the kind of id
export function idIn<Id extends string>({ target }: Delivery): Id | undefined {
  const id = target.slice(target.indexOf(':') + 1);
  return isUuid<Id>(id) ? id : undefined;
}
