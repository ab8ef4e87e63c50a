import { ApiError } from '@reborn-agent/client';

/** Does something with each of these threads. One that another window has deleted already does not count as a failure. */
export async function forEachThread(ids: readonly string[], act: (id: string) => Promise<unknown>): Promise<void> {
  const results = await Promise.allSettled(ids.map(act));
  const isGone = (reason: unknown) => reason instanceof ApiError && reason.status === 404;
  for (const result of results) if (result.status === 'rejected' && !isGone(result.reason)) throw result.reason;
}
