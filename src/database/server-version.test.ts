import { expect, test } from 'vitest';
import { supportedVersion } from './server-version.ts';

test('PostgreSQL 15 and later are supported', () => {
  expect(supportedVersion('18.4')).toBe('18.4');
  expect(supportedVersion('15.0 (Debian 15.0-1.pgdg120+1)')).toBe('15.0');
  expect(supportedVersion('19beta1')).toBe('19');
});

test('an older server is refused, and the error says what to do', () => {
  expect(() => supportedVersion('14.9 (Ubuntu 14.9-1)')).toThrow('runs PostgreSQL 14.9. Upgrade it to 15 or later');
});
