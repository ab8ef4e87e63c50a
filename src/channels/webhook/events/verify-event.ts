import { InvalidRequest, InvalidSecret } from '#domain/errors.ts';
import { findSigningKey } from '#domain/webhook/standard-webhooks.ts';
import type { VerifierKind } from '#domain/webhook/webhook-route.ts';
import type { Delivery } from '../delivery.ts';
import { verifyGithub } from './github-signature.ts';
import { DEFAULT_SECRET_HEADER, verifySharedSecret } from './shared-secret.ts';
import { verifyStandardWebhook } from './standard-webhooks.ts';
import { verifyStripe } from './stripe-signature.ts';

/** How a route knows its sender. */
export type EventVerifier = {
  readonly kind: VerifierKind;
  readonly secret: string;
  /** Where a shared secret stands, if not in X-Webhook-Secret. */
  readonly header?: string;
};

export type VerifiedEvent = {
  /** The id of the delivery, which identifies repeated deliveries. */
  readonly deliveryId: string;
  /** Whether old deliveries are refused. If not, their ids must never expire. */
  readonly isTimed: boolean;
};

/** Authenticates the sender of the body. Throws `InvalidSecret` if that fails. */
export function verifyEvent(verifier: EventVerifier, delivery: Delivery): VerifiedEvent {
  // An empty secret protects nothing.
  if (verifier.secret === '') throw new InvalidSecret('This route has no usable secret. Add it again with one.');
  // Who can replay a shared secret has it, and needs no old delivery.
  return { deliveryId: verify(verifier, delivery), isTimed: verifier.kind !== 'github' };
}

function verify({ kind, secret, header }: EventVerifier, delivery: Delivery): string {
  switch (kind) {
    case 'github':
      return verifyGithub(secret, delivery);
    case 'stripe':
      return verifyStripe(secret, delivery);
    case 'standard-webhooks':
      return verifyStandardWebhook(secret, delivery);
    case 'shared-secret':
      return verifySharedSecret(secret, header ?? DEFAULT_SECRET_HEADER, delivery);
  }
}

/** Refuses a verifier that could never accept a delivery, before it becomes a route. */
export function checkVerifier({ kind, secret, header }: EventVerifier): void {
  if (secret === '') throw new InvalidRequest('invalid_request', 'secret', 'The secret is empty.');
  if (secret !== secret.trim())
    throw new InvalidRequest('invalid_request', 'secret', 'The secret begins or ends with a blank. Copy it again.');
  if (kind === 'standard-webhooks' && !findSigningKey(secret))
    throw new InvalidRequest(
      'invalid_request',
      'secret',
      'The secret must be whsec_ followed by base64, as the sender shows it.',
    );
  if (kind === 'shared-secret' && !/^[\x20-\x7e]+$/.test(secret))
    throw new InvalidRequest('invalid_request', 'secret', 'A header can only carry plain letters, digits and signs.');
  if (header === undefined) return;
  if (kind !== 'shared-secret')
    throw new InvalidRequest(
      'invalid_request',
      'header',
      `Only a shared secret can have a custom header, not ${kind}.`,
    );
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(header))
    throw new InvalidRequest('invalid_request', 'header', `${JSON.stringify(header)} is not the name of a header.`);
}
