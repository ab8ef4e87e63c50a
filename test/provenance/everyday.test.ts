import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMission } from '../red-team/unattended.ts';
import { waitFor } from '../support/wait-for.ts';
import { furnish, stepsOf, TASKS, type Task } from './everyday-tasks.ts';
import type { Person } from './people.ts';
import { startWorld, type World } from './world.ts';

/** A change of these figures is a line in the changelog. */
const MOST_IN_SUM = 28;
const MOST_IN_A_TASK = 2;

/** The tasks that ask once more than by the rules before (an unnamed host, and phrases), and why. */
const ASK_MORE: Readonly<Record<string, string>> = {
  'reads a page and follows two links on its site':
    'which link is followed tells the site something; once for the site',
  'reads the front page and three articles': 'as above',
  'asks again about a page in a later turn': 'as above; an approval of a site ends with the next message',
  'keeps a summary and adds to it later': 'as above',
  'nightly mission: news, mailed to the person': 'as above; "always" for the mission ends the questions',
  'guesses twice on a named host': 'after the first page, an address that was not shown can carry data',
  'corrects a note after reading': 'a page must not change what the person has noted',
  'introduces themselves after reading': 'a page must not change what every prompt contains',
  'looks up two words on an added server':
    'the first answer is text by others, and the server is not trusted for reading',
  'reads a page and looks up a word': 'as above',
};

let world: World;
beforeAll(async () => {
  world = await startWorld({ level: 'ask' });
});
afterAll(() => world.close());

test(`the tasks of every day ask at most ${MOST_IN_SUM} times, and none more than ${MOST_IN_A_TASK} times`, () => {
  const asked = TASKS.map(({ approvals }) => approvals);
  expect(TASKS.length).toBeGreaterThanOrEqual(69);
  expect(asked.reduce((sum, approvals) => sum + approvals)).toBeLessThanOrEqual(MOST_IN_SUM);
  expect(Math.max(...asked)).toBe(MOST_IN_A_TASK);
});

test('each task that asks more than before is known, and says why', () => {
  for (const title of Object.keys(ASK_MORE))
    expect(TASKS.find((task) => task.title === title)).toMatchObject({ approvals: 1 });
});

test.concurrent.each(TASKS.map((task) => [task.title, task] as const))('%s', async (_title, task) => {
  const person = await world.add();
  furnish(person);
  await person.put('boat/name', 'My boats: Freya');
  expect(await approvalsOf(person, task)).toBe(task.approvals);
});

/** Does the task, gives every approval, and counts them. */
async function approvalsOf(person: Person, task: Task): Promise<number> {
  let approvals = 0;
  let previous: string | undefined;
  for (const step of stepsOf(task, person)) {
    person.plan = step.plan;
    if (task.isMission) return approveRun(person, String(step.say));
    const response = await person.ask(step.say, previous ? { previous_response_id: previous } : {});
    approvals += await approveUntil(person, async () => person.results === step.plan.flat().length);
    previous = response.id;
  }
  return approvals;
}

async function approveRun(person: Person, instruction: string): Promise<number> {
  const id = await createMission(person, person.me + instruction);
  await person.request(`/api/missions/${id}/run`, { method: 'POST' });
  return approveUntil(person, async () => {
    const { occurrences } = await person.json<{ occurrences: { status: string }[] }>(`/api/missions/${id}/occurrences`);
    return occurrences[0]?.status === 'completed';
  });
}

async function approveUntil(person: Person, isDone: () => Promise<boolean>): Promise<number> {
  let approvals = 0;
  await waitFor('the calls to run', async () => {
    for (const { id } of await person.gates()) {
      await person.answer(id, { answer: 'approve' });
      approvals++;
    }
    return isDone();
  });
  return approvals;
}
