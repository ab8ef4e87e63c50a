import { InvalidSecret } from '#domain/errors.ts';
import { equalsSecret, hashSecret } from '#domain/secret-hash.ts';
import { checkDeliveryId, type Delivery, digestOf, findHeader, getHeader } from '../delivery.ts';

export const DEFAULT_SECRET_HEADER = 'X-Webhook-Secret';

/** Headers that keep their value when a sender tries again. */
const ID_HEADERS = ['idempotency-key', 'webhook-id', 'i-twilio-idempotency-token', 'x-atlassian-webhook-identifier'];

/**
 * Who has seen one delivery has the secret, so the id guards against no attacker: it only keeps an honest sender's second
 * try from being a second job. Without an id, a delivery is the same as another that is alike to the last
 * byte and came within the same minute. Forever would swallow a cron's daily message; never would act twice on a retry.
 */
export function verifySharedSecret(secret: string, header: string, delivery: Delivery): string {
  if (!equalsSecret(getHeader(delivery, header), hashSecret(secret)))
    throw new InvalidSecret(`${header} is not the secret of this route.`);

  for (const name of ID_HEADERS) {
    const id = findHeader(delivery, name);
    if (id !== undefined) return `${name}:${checkDeliveryId(id, name)}`;
  }
  return `sha256:${digestOf(delivery.body)}@${delivery.now.toISOString().slice(0, 'YYYY-MM-DDThh:mm'.length)}`;
}
