import { createHmac } from 'node:crypto';
import { InvalidRequest, InvalidSecret } from '#domain/errors.ts';
import { checkDeliveryId, checkSignatures, type Delivery, getHeader, parseFreshTimestamp } from '../delivery.ts';

const HEADER = 'Stripe-Signature';

/** `t=…,v1=…`, with a `v1` for every secret while one is replaced. A retry has a new time and the event's old id. */
export function verifyStripe(secret: string, delivery: Delivery): string {
  const fields = getHeader(delivery, HEADER)
    .split(',')
    .map((field) => field.trim());
  const [time, ...more] = valuesOf(fields, 't');
  if (time === undefined || more.length > 0) throw new InvalidSecret(`${HEADER} must look like t=…,v1=…`);

  parseFreshTimestamp(time, delivery.now, HEADER);
  const expected = createHmac('sha256', secret).update(`${time}.`).update(delivery.body).digest('hex');
  checkSignatures(
    valuesOf(fields, 'v1').map((hex) => hex.toLowerCase()),
    expected,
    HEADER,
  );
  return checkDeliveryId(eventIdOf(delivery.body), 'The id of a Stripe event');
}

const valuesOf = (fields: readonly string[], key: string) =>
  fields.filter((field) => field.startsWith(`${key}=`)).map((field) => field.slice(key.length + 1));

function eventIdOf(body: Buffer): string {
  const id = findId(body);
  if (typeof id !== 'string')
    throw new InvalidRequest('invalid_request', 'id', 'The body is not an event of Stripe: it has no id.');
  return id;
}

function findId(body: Buffer): unknown {
  try {
    const event: unknown = JSON.parse(body.toString());
    return typeof event === 'object' && event !== null && 'id' in event ? event.id : undefined;
  } catch {
    return undefined;
  }
}
