import { InvalidSecret } from '#domain/errors.ts';
import { findSigningKey, signStandardWebhook } from '#domain/webhook/standard-webhooks.ts';
import { checkDeliveryId, checkSignatures, type Delivery, getHeader, parseFreshTimestamp } from '../delivery.ts';

const HEADER = 'webhook-signature';

/** The id is signed too, and stays the same when a delivery is tried again. */
export function verifyStandardWebhook(secret: string, delivery: Delivery): string {
  if (!findSigningKey(secret)) throw new InvalidSecret('This route has no usable secret. Add it again with one.');
  const id = getHeader(delivery, 'webhook-id');
  const given = getHeader(delivery, HEADER).split(' ');
  const timestamp = parseFreshTimestamp(getHeader(delivery, 'webhook-timestamp'), delivery.now, 'webhook-timestamp');

  checkSignatures(given, signStandardWebhook({ id, timestamp, body: delivery.body, secret }), HEADER);
  return checkDeliveryId(id, 'webhook-id');
}
