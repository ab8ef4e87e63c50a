import { expect, onTestFinished, test } from 'vitest';
import { waitFor } from '../../test/support/wait-for.ts';
import { startWorkQueue } from './work-queue.ts';

/** A queue over an array of jobs that the test ends. */
function startQueue(due: number[], more: { atOnce?: number; handle?: (job: number) => Promise<boolean> } = {}) {
  const errors: unknown[] = [];
  const takes: number[] = [];
  const open = new Map<number, PromiseWithResolvers<boolean>>();
  const handle = (job: number) => {
    const end = Promise.withResolvers<boolean>();
    open.set(job, end);
    return end.promise.finally(() => open.delete(job));
  };
  const queue = startWorkQueue({
    take: async (room) => {
      takes.push(room);
      return due.splice(0, room);
    },
    handle,
    atOnce: 2,
    pollEveryMs: 1_000_000,
    wakeOn: (runNow) => runNow(),
    onError: (error) => void errors.push(error),
    ...more,
  });
  onTestFinished(async () => {
    for (const { resolve } of open.values()) resolve(false);
    await queue.stop();
  });
  /** The jobs that are handled, once they are these. */
  const running = async (...jobs: number[]): Promise<number[]> => {
    await waitFor(`the jobs ${jobs.join(', ')}`, async () => [...open.keys()].join() === jobs.join());
    return [...open.keys()];
  };
  return { queue, takes, errors, open, running };
}

test('a slow job delays no other, and room that gets free is used', async () => {
  const { open, running } = startQueue([1, 2, 3]);
  await running(1, 2);

  open.get(2)?.resolve(false);

  expect(await running(1, 3)).toEqual([1, 3]);
});

test('work that becomes due during a take is found by another one', async () => {
  const due: number[] = [];
  const { queue, running } = startQueue(due);
  await running();
  queue.take();
  due.push(1);
  queue.take();

  expect(await running(1)).toEqual([1]);
});

test('a job that fails is reported, and the next ones are handled', async () => {
  const handled: number[] = [];
  const { errors } = startQueue([1, 2, 3], {
    atOnce: 1,
    handle: async (job) => {
      handled.push(job);
      if (job === 1) throw new Error('It failed.');
      return false;
    },
  });

  await waitFor('all jobs', async () => handled.length === 3);
  expect(handled).toEqual([1, 2, 3]);
  expect(errors).toEqual([new Error('It failed.')]);
});

test('a queue that is stopped waits for its jobs, and takes no more', async () => {
  const { queue, takes, open, running } = startQueue([1, 2, 3], { atOnce: 1 });
  await running(1);
  const stopped = queue.stop();
  open.get(1)?.resolve(true);
  await stopped;

  expect(takes).toEqual([1]);
});
