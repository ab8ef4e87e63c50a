import { expect, test } from 'vitest';
import type { Action } from '#safety/rule.ts';
import { knowing } from '#safety/secrets/known-secrets.test-support.ts';
import { createSafety } from './safety.ts';

test('a secret in an output and in its source is removed from both, and reported once', async () => {
  const reported: (readonly Action[])[] = [];
  const safety = createSafety({
    knownSecrets: async () => knowing({ weather_key: 'w34ther-k3y-value' }),
    onActions: (_, actions) => reported.push(actions),
  });

  const texts = ['The page: w34ther-k3y-value', 'A title', 'w34ther-k3y-value and w34ther-k3y-value'];
  const received = await safety.receive({ userId: 'ann' }, 'web_fetch', texts);

  expect(received).toEqual([
    expect.stringMatching(/^The page: \[redacted/),
    'A title',
    expect.not.stringContaining('w34ther'),
  ]);
  expect(reported).toEqual([[expect.objectContaining({ does: 'redact', times: 2 })]]);
});
