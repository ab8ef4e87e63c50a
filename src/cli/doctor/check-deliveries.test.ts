import { expect, test } from 'vitest';
import type { MissedReceiver } from '#store/system/deliveries.ts';
import type { SystemConnection } from '#store/system/system-connection.ts';
import { checkDeliveries } from './check-deliveries.ts';

const missed = (account: string, count: number): MissedReceiver => ({
  kind: 'callback',
  account,
  count,
  lastError: 'The receiver answered 500.',
});
const answering = (rows: readonly MissedReceiver[]) =>
  ({ query: async () => ({ rows }) }) as unknown as SystemConnection;

test('the receivers that missed most are named, and the others are counted', async () => {
  const hosts = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name, place) => missed(`host:${name}.example`, 9 - place));
  const findings = await checkDeliveries(answering(hosts));

  expect(findings).toHaveLength(6);
  expect(new Set(findings.map(({ level }) => level))).toEqual(new Set(['warning']));
  expect(findings[0]?.message).toBe('Given up in the last day: 9 (callback) for a.example. The receiver answered 500.');
  expect(findings[5]?.message).toBe('2 other receivers missed 7.');
});
