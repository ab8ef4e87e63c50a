import { setTimeout as sleep } from 'node:timers/promises';

/** Cut lines, and a server that is shutting down, starting up or not there. */
const AWAY = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  '57P01',
  '57P02',
  '57P03',
  '08006',
  '08003',
]);
const WITHOUT_CODE =
  /connection terminated|connection error|connection ended|timeout exceeded when trying to connect|query read timeout/i;

/** Whether the database could not be reached, as opposed to having refused what it was asked. */
export function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return 'code' in error && typeof error.code === 'string' ? AWAY.has(error.code) : WITHOUT_CODE.test(error.message);
}

const UNIQUE_VIOLATION = '23505';

/** Whether a row is there already. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === UNIQUE_VIOLATION;
}

const PATIENCE_MS = 15_000;
const AGAIN_MS = 200;

/** Tries again while the database is away, for a while: what was hard to come by shall not be lost to a restart. */
export async function whileAway<T>(signal: AbortSignal, act: (tries: number) => Promise<T>): Promise<T> {
  const end = performance.now() + PATIENCE_MS;
  for (let tries = 0; ; tries++) {
    try {
      return await act(tries);
    } catch (error) {
      if (!isAway(error) || performance.now() > end) throw error;
      await sleep(AGAIN_MS, undefined, { signal });
    }
  }
}
