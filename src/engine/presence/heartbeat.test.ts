import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { newId, type ReplicaId } from '#domain/ids.ts';
import type { EnginePool } from '../engine-connection.ts';
import { ENGINE_TIMES } from '../engine-times.ts';
import { startHeartbeat } from './heartbeat.ts';
import type { Session } from './listener.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** A replica whose only peer looks expired from its eleventh heartbeat on. `jump`: how far the clock of the database is set then. */
async function countTakeovers(jump: number, forMs: number): Promise<number> {
  let heartbeats = 0;
  let takeovers = 0;
  let last = performance.now();
  const answer = () => {
    const sinceMs = performance.now() - last + (++heartbeats === 11 ? jump : 0);
    last = performance.now();
    const peer = { id: newId<ReplicaId>(), silent: true, expired: true, free: false };
    return {
      alive: true,
      sinceMs,
      ready: false,
      running: null,
      hasPeers: true,
      older: 0,
      quiet: heartbeats > 10 ? [peer] : null,
      due: null,
    };
  };
  const session = { query: async () => ({ rows: [answer()] }) } as unknown as Session;
  const pool = {
    query: async (text: string) => {
      if (text.includes('take_over_turns')) takeovers++;
      return { rows: [] };
    },
  } as unknown as EnginePool;
  const nothing = () => {};
  const heartbeat = startHeartbeat({
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
  await heartbeat.stop();
  return takeovers;
}

test('a replica that sees its own lease jump waits before it declares others dead', async () => {
  expect(await countTakeovers(0, 6000)).toBeGreaterThan(0);
  expect(await countTakeovers(30_000, 6000)).toBe(0);
  expect(await countTakeovers(30_000, 9000)).toBeGreaterThan(0);
});
