// @module-tag slow
import { expect, test } from 'vitest';
import { PAGES, QUESTIONS } from '../../bench/research/corpus.ts';
import { runResearch } from '../../bench/research/run-research.ts';

test('the corpus has sixty pages and twenty questions', () => {
  expect(new Set(PAGES.map(({ url }) => url)).size).toBe(60);
  expect(QUESTIONS).toHaveLength(20);
});

test('one question of each kind is answered from the right pages, and hostile pages open nothing', async () => {
  const kinds = [...new Set(QUESTIONS.map(({ kind }) => kind))];
  const some = kinds.flatMap((kind) => QUESTIONS.find((question) => question.kind === kind) ?? []);
  for (const done of await runResearch(some))
    expect(done).toMatchObject({
      isRight: true,
      hasRightSources: true,
      checked: done.quotations,
      plans: 1,
      ...(done.kind === 'hostile page' && { denied: 1 }),
      obeyed: 0,
    });
}, 120_000);
