import { randomBytes } from 'node:crypto';
import { InvalidRequest, NotFound } from '#domain/errors.ts';
import { type DeliveryId, type EndpointId, newId } from '#domain/ids.ts';
import type { Delivery, DeliveryAttempt } from '#domain/notification/delivery.ts';
import type { Endpoint, NewEndpoint, QuietHours } from '#domain/notification/endpoint.ts';
import { isOperator, OPERATOR, type Principal, requireOperator } from '#domain/principal.ts';
import { audited } from '#store/audit.ts';
import { type Database, type OwnedTransaction, withOwner } from '#store/connection.ts';
import {
  type DeliveryFilter,
  findDelivery,
  listAttempts,
  listDeliveries,
  reviveDelivery,
} from '#store/notifications/deliveries.ts';
import {
  deleteEndpoint,
  findEndpoint,
  findQuietHours,
  insertEndpoint,
  listEndpoints,
  putQuietHours,
} from '#store/notifications/endpoints.ts';
import { emit } from '#store/notifications/outbox.ts';
import { withScope } from '#store/scope.ts';
import type { Secrets } from '#tools/secrets/secrets.ts';
import { isTimeZone } from '../missions/local-time.ts';

export type Deliveries = ReturnType<typeof createDeliveries>;

/** Deliveries as their owners see them. Operators see everyone's. */
export function createDeliveries(db: Database) {
  const getDelivery = async (trx: OwnedTransaction, scope: Parameters<typeof findDelivery>[1], id: DeliveryId) => {
    const found = await findDelivery(trx, scope, id);
    if (!found) throw new NotFound('This delivery does not exist.');
    return found;
  };
  return {
    list: (principal: Principal, filter: DeliveryFilter): Promise<Delivery[]> =>
      withScope(db, principal, (trx, scope) => listDeliveries(trx, scope, filter)),
    get: (principal: Principal, id: DeliveryId): Promise<{ delivery: Delivery; attempts: DeliveryAttempt[] }> =>
      withScope(db, principal, async (trx, scope) => {
        const delivery = await getDelivery(trx, scope, id);
        return { delivery, attempts: await listAttempts(trx, delivery) };
      }),
    /** Makes a dead delivery due again. */
    retry: (principal: Principal, id: DeliveryId): Promise<Delivery> =>
      withScope(db, principal, async (trx, scope) => {
        const delivery = await getDelivery(trx, scope, id);
        if (!(await reviveDelivery(trx, delivery)))
          throw new InvalidRequest('invalid_request', null, 'Only a delivery that was given up (dead) can be retried.');
        return getDelivery(trx, scope, id);
      }),
  };
}

const MOST_ENDPOINTS = 20;

export type Notifications = ReturnType<typeof createNotifications>;

/** Where and when users are notified. */
export function createNotifications(db: Database, secrets: Secrets) {
  /** Operators share the endpoints for the events of all users. */
  const ownersFor = (principal: Principal) =>
    isOperator(principal) && principal.userId !== OPERATOR.userId ? [principal, OPERATOR] : [principal];

  async function findOwner(principal: Principal, id: EndpointId): Promise<Principal> {
    for (const owner of ownersFor(principal))
      if (await withOwner(db, owner, (trx) => findEndpoint(trx, owner, id))) return owner;
    throw new NotFound('This endpoint does not exist.');
  }

  return {
    async read(principal: Principal): Promise<{ quiet: QuietHours | null; endpoints: Endpoint[] }> {
      const lists = await Promise.all(
        ownersFor(principal).map((owner) => withOwner(db, owner, (trx) => listEndpoints(trx, owner))),
      );
      const quiet = await withOwner(db, principal, (trx) => findQuietHours(trx, principal));
      return { quiet, endpoints: lists.flat().filter((found) => found.everyone || found.userId === principal.userId) };
    },

    async putQuietHours(principal: Principal, quiet: QuietHours | null): Promise<void> {
      if (quiet && !isTimeZone(quiet.timeZone))
        throw new InvalidRequest(
          'invalid_request',
          'quiet_hours.time_zone',
          'quiet_hours.time_zone must be an IANA name, such as Europe/Oslo.',
        );
      await withOwner(db, principal, (trx) => putQuietHours(trx, principal, quiet));
    },

    /** Returns the signing secret, which is never shown again. */
    addEndpoint: (principal: Principal, asked: NewEndpoint): Promise<AddedEndpoint> =>
      addEndpoint(secrets, principal, asked),

    async removeEndpoint(principal: Principal, id: EndpointId): Promise<void> {
      const owner = await findOwner(principal, id);
      const name = endpointSecret(id);
      const entry = { actor: principal.userId, action: 'endpoint.remove', subject: id, detail: {} };
      await secrets.inVault({ userId: owner.userId }, async (vault, trx) => {
        await vault.change((writer) => writer.remove(name), { action: 'secret.remove', name, actor: principal.userId });
        const existed = await audited(trx, (writing) => deleteEndpoint(writing, owner, id), entry);
        if (!existed) throw new NotFound('This endpoint does not exist.');
      });
    },

    /** Sends a test event to one endpoint. */
    async testEndpoint(principal: Principal, id: EndpointId): Promise<void> {
      const owner = await findOwner(principal, id);
      await withOwner(db, owner, (trx) => emit(trx, owner, { type: 'endpoint.test', subject: id }));
    },
  };
}

type AddedEndpoint = { readonly endpoint: Endpoint; readonly secret: string };

async function addEndpoint(secrets: Secrets, principal: Principal, asked: NewEndpoint): Promise<AddedEndpoint> {
  if (asked.everyone) requireOperator(principal);
  const owner = asked.everyone ? OPERATOR : principal;
  const actor = principal.userId;
  const url = checkUrl(asked.url);
  const id = newId<EndpointId>();
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const name = endpointSecret(id);
  const entry = { actor, action: 'endpoint.add', subject: id, detail: { url, everyone: asked.everyone } };
  const endpoint = await secrets.inVault({ userId: owner.userId }, async (vault, trx) => {
    if ((await listEndpoints(trx, owner)).length >= MOST_ENDPOINTS)
      throw new InvalidRequest(
        'invalid_request',
        null,
        `A user can have ${MOST_ENDPOINTS} endpoints. Remove one first.`,
      );
    await vault.claimKey();
    await vault.change((writer) => writer.put(name, secret), { action: 'secret.put', name, actor });
    return audited(trx, (writing) => insertEndpoint(writing, owner, { ...asked, url, id }), entry);
  });
  return { endpoint, secret };
}

/** No tool can name it, because names of secrets can't contain a colon. */
export const endpointSecret = (id: EndpointId) => `endpoint:${id}`;

/** What can be checked now. The address of the host is checked for each request. */
function checkUrl(given: string): string {
  const url = URL.parse(given);
  if (url?.protocol !== 'https:' || url.username || url.password || url.port || url.hash)
    throw new InvalidRequest(
      'invalid_request',
      'url',
      'url must be an https address on port 443, without a password and a fragment.',
    );
  return url.href;
}
