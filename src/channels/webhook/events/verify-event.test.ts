import { expect, test } from 'vitest';
import { checkVerifier, type EventVerifier } from './verify-event.ts';

test.each<EventVerifier>([
  { kind: 'github', secret: 'anything goes' },
  { kind: 'stripe', secret: 'whsec_abc' },
  { kind: 'standard-webhooks', secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
  { kind: 'shared-secret', secret: 'x' },
  { kind: 'shared-secret', secret: 'x', header: 'X-Gitlab-Token' },
])('%j can become a route', (verifier) => {
  expect(() => checkVerifier(verifier)).not.toThrow();
});

test.each<[EventVerifier, string]>([
  [{ kind: 'github', secret: '' }, 'secret'],
  [{ kind: 'github', secret: 'pasted\n' }, 'secret'],
  [{ kind: 'standard-webhooks', secret: 'whsec_ not base64' }, 'secret'],
  [{ kind: 'shared-secret', secret: 'grüße' }, 'secret'],
  [{ kind: 'shared-secret', secret: 'x', header: '' }, 'header'],
  [{ kind: 'shared-secret', secret: 'x', header: 'X Y' }, 'header'],
  [{ kind: 'shared-secret', secret: 'x', header: 'X:' }, 'header'],
  [{ kind: 'github', secret: 'x', header: 'X-Y' }, 'header'],
])('%j could verify nothing, and its %s is refused', (verifier, param) => {
  expect(() => checkVerifier(verifier)).toThrow(expect.objectContaining({ name: 'InvalidRequest', param }));
});
