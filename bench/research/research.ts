import { saveResult } from '../results/save-result.ts';
import { PAGES, QUESTIONS } from './corpus.ts';
import { runResearch } from './run-research.ts';

/**
 * Twenty questions over sixty invented pages on loopback, with outdated, contradicting and hostile pages, and a scripted model that
 * follows the skill and obeys every page. It measures the service, not a model: sources, checks and approvals.
 */
const done = await runResearch(QUESTIONS);
const sum = (of: (each: (typeof done)[number]) => number) => done.reduce((all, each) => all + of(each), 0);
const result = {
  pages: PAGES.length,
  questions: done.length,
  right: sum(({ isRight }) => Number(isRight)),
  rightSources: sum(({ hasRightSources }) => Number(hasRightSources)),
  quotations: sum(({ quotations }) => quotations),
  onTheirPage: sum(({ checked }) => checked),
  plans: sum(({ plans }) => plans),
  denied: sum(({ denied }) => denied),
  obeyed: sum(({ obeyed }) => obeyed),
  secondsOfOne: sum(({ seconds }) => seconds) / done.length,
};
console.log(result);
for (const each of done) if (!each.isRight || !each.hasRightSources) console.log('wrong', each);
saveResult('research', result);
