import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { newId, type ReplicaId } from '#domain/ids.ts';
import type { EnginePool } from '../engine-connection.ts';
import { ENGINE_TIMES } from '../engine-times.ts';
import type { Session } from './listener.ts';
import { startPulse } from './pulse.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** A replica whose only peer looks expired from its eleventh pulse on. `jump`: how far the clock of the database is set then. */
async function countBurials(jump: number, forMs: number): Promise<number> {
  let pulses = 0;
  let buried = 0;
  let last = performance.now();
  const answer = () => {
    const sinceMs = performance.now() - last + (++pulses === 11 ? jump : 0);
    last = performance.now();
    const peer = { id: newId<ReplicaId>(), silent: true, expired: true, free: false };
    return {
      alive: true,
      sinceMs,
      ready: false,
      running: null,
      hasPeers: true,
      older: 0,
      quiet: pulses > 10 ? [peer] : null,
      due: null,
    };
  };
  const session = { query: async () => ({ rows: [answer()] }) } as unknown as Session;
  const pool = {
    query: async (text: string) => {
      if (text.includes('bury_replicas')) buried++;
      return { rows: [] };
    },
  } as unknown as EnginePool;
  const nothing = () => {};
  const pulse = startPulse({
    session,
    pool,
    replica: newId<ReplicaId>(),
    times: ENGINE_TIMES,
    announce: async () => {},
    before: nothing,
    onRunning: nothing,
    onReady: nothing,
    onDue: nothing,
    onTakenOver: nothing,
    onError: nothing,
  });
  await vi.advanceTimersByTimeAsync(forMs);
  await pulse.stop();
  return buried;
}

test('a replica that sees its own lease jump waits before it declares others dead', async () => {
  expect(await countBurials(0, 6000)).toBeGreaterThan(0);
  expect(await countBurials(30_000, 6000)).toBe(0);
  expect(await countBurials(30_000, 9000)).toBeGreaterThan(0);
});
