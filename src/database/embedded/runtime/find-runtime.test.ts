import { expect, test } from 'vitest';
import { findRuntime } from './find-runtime.ts';

test.each(['win32-arm64', 'freebsd-x64'])(
  'on %s, which has no built-in PostgreSQL, the error asks for DATABASE_URL',
  (platform) => {
    expect(() => findRuntime(platform)).toThrow(/built-in PostgreSQL does not support .* Set DATABASE_URL/);
  },
);

test('on a system without glibc, the error asks for DATABASE_URL', () => {
  expect(() => findRuntime('linux-x64', () => false)).toThrow(/needs glibc.* Set DATABASE_URL/);
});

test('the error says that no build for the machine was installed', () => {
  expect(() => findRuntime('win32-x64')).toThrow(/for windows-x64 is not installed.*DATABASE_URL/);
});
