import { expect, test } from 'vitest';
import { findExposures } from './find-exposures.ts';
import { newToken } from './operator-token.ts';
import { isWeakToken } from './weak-token.ts';

const gateway = (host: string, authToken?: string) => ({ enabled: true, host, authToken });

test.each([
  '',
  'secret',
  'hunter2',
  'operator-token',
  'a'.repeat(64),
  'abcabcabcabcabcabcabcabcabc',
  '1234567890123456789',
])('%j is weak', (token) => {
  expect(isWeakToken(token)).toBe(true);
});

test.each([newToken(), 'c3ab8ff13720e8ad9047dd39466b3c89', 'Xk4vQ9mT2pLw7ZrB5nJc'])('%s is not', (token) => {
  expect(isWeakToken(token)).toBe(false);
});

test.each(['0.0.0.0', '::', '192.168.1.5', 'agent.example.com'])('on %s a weak token is warned of, by name', (host) => {
  expect(findExposures(gateway(host, 'weak'), undefined)).toEqual([
    expect.stringContaining('GATEWAY_AUTH_TOKEN is weak'),
  ]);
  expect(findExposures(gateway(host), 'weak')).toEqual([expect.stringContaining('SERVICE_REBORN_WEBUI_TOKEN is weak')]);
  expect(findExposures(gateway(host, 'weak'), 'weak')).toHaveLength(2);
});

test('the warning does not tell the token', () => {
  expect(findExposures(gateway('0.0.0.0', 'hunter2'), undefined).join()).not.toContain('hunter2');
});

test.each(['127.0.0.1', '127.0.0.2', 'localhost', '::1'])('on %s nobody else can guess', (host) => {
  expect(findExposures(gateway(host, 'weak'), 'weak')).toEqual([]);
});

test('strong tokens, those that are made by us, and a gateway that is off need no warning', () => {
  expect(findExposures(gateway('0.0.0.0', newToken()), newToken())).toEqual([]);
  expect(findExposures(gateway('0.0.0.0'), undefined)).toEqual([]);
  expect(findExposures({ ...gateway('0.0.0.0', 'weak'), enabled: false }, 'weak')).toEqual([]);
});
