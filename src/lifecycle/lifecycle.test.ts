import { expect, test, vi } from 'vitest';
import { DEFAULT_RETENTION } from '#domain/retention.ts';
import type { Engine } from '#engine/engine.ts';
import { startLifecycle } from './lifecycle.ts';

type Task = { readonly pause: () => number; readonly run: () => Promise<void> };

/** The tasks of an installation whose statements take so long by a clock that only they move. */
function tasksOf(statementMs: number): Map<string, Task> {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const query = async (statement: string) => {
    const isWalk = statement.includes('purge_threads');
    if (isWalk) now += statementMs;
    return {
      rows: isWalk ? [{ looked: 0, last: null }] : [{ kind: 'threads', isSet: true, everyones: 30, least: 30 }],
    };
  };
  const tasks = new Map<string, Task>();
  const startLeaderTask = (task: string, pause: () => number, run: () => Promise<void>) => {
    tasks.set(task, { pause, run });
    return { stop: async () => {} };
  };
  const engine = { errands: { query }, isLeader: () => true, startLeaderTask, notifyThread: () => {} };
  startLifecycle({
    engine: engine as unknown as Engine,
    retention: { ...DEFAULT_RETENTION, jobs: 30 },
    attachments: {},
  });
  return tasks;
}

test('looking for expired threads takes at most a tenth of the time with any number of them', async () => {
  for (const [roundMs, pauseMs] of [
    [1000, 600_000],
    [300_000, 2_700_000],
  ] as const) {
    const task = tasksOf(roundMs).get('expired_threads');
    expect(task?.pause()).toBe(600_000);
    await task?.run();
    expect(task?.pause()).toBe(pauseMs);
  }
  vi.restoreAllMocks();
});
