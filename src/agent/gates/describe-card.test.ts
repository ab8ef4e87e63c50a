import { addressOf } from '@reborn-agent/client/gate-card';
import { expect, test } from 'vitest';
import { canonicalAddress } from '#safety/addresses/links-in.ts';

test.each([
  'https://news.example',
  'HTTP://News.Example:80/a?b#c',
  'http://news.example:8080/a',
  'https://user:word@news.example/ä?q=ö',
])('clients divide the address %s in the spelling that was compared', (url) => {
  const address = { kind: 'composed', site: 'news.example', shown: 12 } as const;
  const facts = addressOf({ arguments: JSON.stringify({ url }), address });
  expect(facts?.kind === 'composed' && facts.shown + facts.unshown).toBe(canonicalAddress(new URL(url)));
});
