import { expect, test } from 'vitest';
import { findExposures, isWeakToken } from './find-exposures.ts';
import { newToken } from './tokens/operator-token.ts';

const settings = (host: string, authToken?: string, operatorToken?: string) => ({
  gateway: { enabled: true, host, authToken },
  operatorToken,
  oidc: undefined,
});

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

test.each([newToken(), 'c3ab8ff13720e8ad9047dd39466b3c89', 'Xk4vQ9mT2pLw7ZrB5nJc'])('%s is not weak', (token) => {
  expect(isWeakToken(token)).toBe(false);
});

test.each(['0.0.0.0', '::', '192.168.1.5', 'agent.example.com'])(
  'on %s a weak token causes a warning that names it',
  (host) => {
    expect(findExposures(settings(host, 'weak'))).toEqual([expect.stringContaining('GATEWAY_AUTH_TOKEN is weak')]);
    expect(findExposures(settings(host, undefined, 'weak'))).toEqual([
      expect.stringContaining('SERVICE_REBORN_WEBUI_TOKEN is weak'),
    ]);
    expect(findExposures(settings(host, 'weak', 'weak'))).toHaveLength(2);
  },
);

test('the warning does not contain the token', () => {
  expect(findExposures(settings('0.0.0.0', 'hunter2')).join()).not.toContain('hunter2');
});

test.each(['127.0.0.1', '127.0.0.2', 'localhost', '::1'])('on %s a weak token causes no warning', (host) => {
  expect(findExposures(settings(host, 'weak', 'weak'))).toEqual([]);
});

test('strong tokens, generated tokens and a disabled gateway cause no warning', () => {
  expect(findExposures(settings('0.0.0.0', newToken(), newToken()))).toEqual([]);
  expect(findExposures(settings('0.0.0.0'))).toEqual([]);
  const { gateway, ...rest } = settings('0.0.0.0', 'weak', 'weak');
  expect(findExposures({ ...rest, gateway: { ...gateway, enabled: false } })).toEqual([]);
});

test('single sign-on for every domain causes a warning that names the provider', () => {
  const oidc = { issuer: 'https://login.example.com', allowedDomains: undefined };

  expect(findExposures({ ...settings('127.0.0.1'), oidc })).toEqual([
    expect.stringMatching(/OIDC_ALLOWED_DOMAINS.*https:\/\/login\.example\.com/),
  ]);
  expect(findExposures({ ...settings('127.0.0.1'), oidc: { ...oidc, allowedDomains: ['example.com'] } })).toEqual([]);
});
