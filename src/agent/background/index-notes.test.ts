import { expect, test } from 'vitest';
import type { IndexPlan, IndexReport } from '#store/notes/build-note-indexes.ts';
import { waitFor } from '../../../test/support/wait-for.ts';
import { startIndexingNotes } from './index-notes.ts';

type Build = (plan: IndexPlan, signal: AbortSignal) => Promise<IndexReport>;

/** A task that looks all the time, among users who have so many notes. */
function start(counts: Record<string, number>, build: Build) {
  const problems: string[] = [];
  const task = startIndexingNotes({
    findMany: async ({ least }) =>
      Object.entries(counts).flatMap(([userId, count]) => (count >= least ? { userId, count, dimensions: 3 } : [])),
    model: 'm',
    build,
    pace: { pollEveryMs: 1, least: 10 },
    onProblem: (problem) => problems.push(problem),
    onError: (error) => problems.push(String(error)),
  });
  return { ...task, problems };
}

test('a user with enough notes gets an index, and keeps it down to half of them', async () => {
  const plans: IndexPlan[] = [];
  const task = start({ ann: 30, bob: 10, cat: 9, dan: 5, eve: 4 }, async (plan) => {
    plans.push(plan);
    return { built: 0, dropped: 0 };
  });
  await waitFor('a plan', async () => plans.length > 0);
  await task.stop();

  const [plan] = plans;
  expect(plan?.wanted.map(({ userId }) => userId)).toEqual(['ann', 'bob']);
  expect(plan?.tolerated.map(({ userId }) => userId)).toEqual(['cat', 'dan']);
  expect(plan?.wanted[0]).toMatchObject({ model: 'm', dimensions: 3 });
});

test('the operator is advised once, and again when the advice changes', async () => {
  let looks = 0;
  const task = start({ ann: 30 }, async () => {
    looks++;
    return { built: 0, dropped: 0, problem: looks < 5 ? 'Add it.' : 'Update it.' };
  });
  await waitFor('eight looks', async () => looks >= 8);
  await task.stop();

  expect(task.problems).toEqual(['Add it.', 'Update it.']);
});

test('a build that failed is reported, and tried again', async () => {
  let looks = 0;
  const task = start({ ann: 30 }, async () => {
    if (++looks === 1) throw new Error('The disk is full.');
    return { built: 1, dropped: 0 };
  });
  await waitFor('another look', async () => looks > 1);
  await task.stop();

  expect(task.problems).toEqual(['Error: The disk is full.']);
});

test('a build that runs is not stopped', async () => {
  const leaving: AbortSignal[] = [];
  const task = start({ ann: 30 }, (_, signal) => {
    leaving.push(signal);
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve({ built: 0, dropped: 0 })));
  });
  await waitFor('the build to begin', async () => leaving.length > 0);

  await task.stop();
  expect(leaving.map(({ aborted }) => aborted)).toEqual([true]);
});
