import { afterAll, beforeAll, expect, test } from 'vitest';
import { followScript, type SeenPrompt } from '../support/scripted-model.ts';
import { checkPage } from './check-page.ts';
import { type OpenPage, openChromium } from './open-chromium.ts';
import { seedMissions } from './seed-missions.ts';
import { startStage } from './stage.ts';
import { ask, confirm } from './talk.ts';

const SENTENCE = 'Every weekday at 8 in Oslo, summarise my notes.';
const schedule = { cron: '0 8 * * 1-5', time_zone: 'Europe/Oslo' };

let stage: Awaited<ReturnType<typeof startStage>>;
let browser: Awaited<ReturnType<typeof openChromium>>;
let page: OpenPage;

/** A model that understands the sentence, and the instruction of the mission that it makes of it. */
function decide(prompt: SeenPrompt) {
  const { messages } = prompt;
  const asked = messages.map(({ role }) => role).lastIndexOf('user');
  const words = messages[asked]?.text ?? '';
  const results = messages.slice(asked + 1).filter(({ role }) => role === 'tool');
  const call = (name: string, given: object) => ({ calls: [{ name, arguments: JSON.stringify(given) }] });
  if (words.includes(SENTENCE)) {
    if (results.length === 0) return call('mission_preview', { schedule });
    if (results.length > 1) return { pieces: ['I will summarise your notes every weekday at 8.'] };
    const preview = JSON.parse(/\{[^]*\}/.exec(results[0]?.text ?? '')?.[0] ?? '{}') as object;
    return call('mission_create', { name: 'Notes', instruction: 'Summarise my notes.', schedule, ...preview });
  }
  if (!words.includes('Summarise my notes.')) return followScript(prompt);
  if (results.length === 0) return call('memory_search', { query: 'bread' });
  return { pieces: [`Your notes: ${results[0]?.text.includes('rye') ? 'rye bread for Saturday' : 'none'}.`] };
}

beforeAll(async () => {
  const parts = { missions: { pollEveryMs: 100 } };
  [stage, browser] = await Promise.all([startStage({}, parts, decide), openChromium()]);
  await stage.service.request('/api/memory/shopping', {
    method: 'PUT',
    body: JSON.stringify({ text: 'bread: rye for Saturday' }),
  });
  await browser.enter(stage.url);
  page = await browser.open();
});

afterAll(async () => {
  await browser.close();
  await stage.close();
});

const rows = () => page.getByRole('list', { name: 'Missions' }).getByRole('listitem');
const runs = () => page.getByRole('list', { name: 'Runs' }).getByRole('listitem');

test('from a sentence in the chat to the approval, the run, its result in the thread, and the timeline', async () => {
  await page.goto(`${stage.url}/missions/all`);
  await page.getByText('No missions yet').waitFor();
  await page.goto(stage.url);
  await ask(page, SENTENCE);
  const card = page.getByRole('region', { name: /^Waits for you: Create the mission “/ });
  await card.getByText('at 08:00, Monday to Friday (Europe/Oslo)').first().waitFor();
  expect(await card.getByText(/ 2\d{3}, 08:00 |, 2\d{3}, .*\d:00/).count()).toBeGreaterThanOrEqual(5);
  await card.getByRole('button', { name: 'Exact arguments' }).click();
  expect((await card.locator('pre').innerText()).match(/T0[67]:00:00\.000Z/g)).toHaveLength(5);
  await card.getByRole('button', { name: 'Approve once' }).click();
  await page.getByRole('article').getByText('I will summarise your notes every weekday at 8.').waitFor();

  await page.getByRole('link', { name: 'Missions' }).click();
  await page.getByText('No results yet').waitFor();
  await page.getByRole('navigation', { name: 'Missions' }).getByRole('link', { name: 'Missions' }).click();
  await rows()
    .filter({ hasText: /at 8:00\sAM, Monday to Friday \(Europe\/Oslo\)/ })
    .getByText('not run yet')
    .waitFor();
  await stage.home.query(`update missions set next_due_at = date_trunc('second', now())`);
  await rows().getByText('completed').waitFor();
  await rows().getByRole('button').click();
  await runs().getByText('completed').waitFor();
  expect(await runs().innerText()).toMatch(/\d s/);

  await runs().getByRole('link', { name: 'Thread' }).click();
  await page.getByRole('article').getByText('Your notes: rye bread for Saturday.').waitFor();
});

test('a mission is created with a preview, edited, run by hand, paused, resumed and deleted', async () => {
  await stage.service.request('/api/assistants', { method: 'POST', body: JSON.stringify({ name: 'research' }) });
  await page.goto(`${stage.url}/missions/all`);
  await page.getByRole('button', { name: 'Create a mission' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Name').fill('Evening');
  await form.getByLabel('Instruction').fill('use mission_no_result {}');
  await form.getByLabel('Time', { exact: true }).fill('18:30');
  await form.getByLabel('Days').selectOption('*');
  await form.getByLabel('Time zone').fill('Asia/Tokyo');
  await form.getByText(/^at 6:30\sPM, every day \(Asia\/Tokyo\)$/).waitFor();
  await expect.poll(() => form.getByRole('status').getByRole('listitem').count()).toBe(5);
  await form.getByLabel('Time zone').fill('Asia/Nowhere');
  await form.getByText('time_zone is not a known time zone').waitFor();
  await form.getByLabel('Time zone').fill('Asia/Tokyo');
  await form.getByLabel('Assistant').selectOption('research');
  await form.getByText('Thread, overlap and budgets').click();
  await form.getByLabel('Tokens per day').fill('5000');
  await form.getByRole('button', { name: 'Create' }).click();

  const drawer = page.getByRole('dialog', { name: 'Evening' });
  await drawer.getByText('5,000 tokens per day').waitFor();
  await drawer.getByText('research', { exact: true }).waitFor();
  await drawer.getByText('Not run yet.').waitFor();
  await drawer.getByRole('button', { name: 'Run now' }).click();
  await drawer.getByText('nothing to report').waitFor();
  await drawer.getByText('by hand').waitFor();

  await drawer.getByRole('button', { name: 'Edit' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit Evening' });
  await edit.getByLabel('Runs', { exact: true }).selectOption('interval');
  await edit.getByLabel('Minutes between two runs').fill('90');
  await edit.getByText('every 90 minutes').waitFor();
  expect(await edit.getByLabel('Assistant').inputValue()).toBe('research');
  await edit.getByRole('button', { name: 'Save changes' }).click();
  await drawer.getByText('every 90 minutes').waitFor();

  await drawer.getByRole('button', { name: 'Pause' }).click();
  await drawer.getByRole('button', { name: 'Resume' }).click();
  await drawer.getByRole('button', { name: 'Pause' }).waitFor();
  await drawer.getByRole('button', { name: 'Delete' }).click();
  await confirm(page, 'Delete');
  await expect.poll(() => rows().filter({ hasText: 'Evening' }).count()).toBe(0);
  expect(page.problems).toEqual([]);
});

const results = () => page.getByRole('list', { name: 'Results' }).getByRole('listitem');
const places = () => page.getByRole('navigation', { name: 'Threads and pages' });

test('a result is new until its thread is opened, which leads back to the mission', async () => {
  const mission = { name: 'Prices', instruction: 'say One change. It is small.', schedule };
  const made = await stage.service.request('/api/missions', { method: 'POST', body: JSON.stringify(mission) });
  const { id } = (await made.json()) as { id: string };
  const run = () => stage.service.request(`/api/missions/${id}/run`, { method: 'POST' });
  await stage.service.request('/api/mission-results/read', { method: 'POST', body: '{}' });
  await page.goto(`${stage.url}/missions`);
  await run();
  await results().filter({ hasText: 'One change.' }).waitFor();
  await page.goto(stage.url);
  await places().getByText('1 new').waitFor();
  await page.getByRole('heading', { name: '1 new result' }).waitFor();
  const news = page.getByRole('region', { name: 'New results' });
  await news.getByText('One change.').waitFor();
  await checkPage(page, 'home');

  await news.getByRole('link', { name: 'Prices' }).click();
  await page.getByRole('heading', { name: 'Prices' }).waitFor();
  await places().getByText('1 new').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'To the mission Prices' }).click();
  await page.getByRole('dialog', { name: 'Prices' }).waitFor();
  await page.getByRole('button', { name: 'Close' }).click();

  await stage.service.request(`/api/missions/${id}`, {
    method: 'PATCH',
    body: JSON.stringify({ instruction: 'break 400', thread: 'new' }),
  });
  await run();
  await page.goto(`${stage.url}/missions`);
  const failed = results().filter({ hasText: 'Did not run: the model failed.' });
  await failed.getByRole('link', { name: 'Check the models' }).waitFor();
  await checkPage(page, 'results');
  await page.getByRole('button', { name: 'Mark all as read' }).click();
  await places().getByText('1 new').waitFor({ state: 'detached' });
  expect(page.problems).toEqual([]);
});

test('the first page says what waits for the person, and the tab how much', async () => {
  await page.goto(stage.url);
  await ask(page, SENTENCE);
  await page.getByRole('region', { name: /^Waits for you: Create the mission “/ }).waitFor();
  await page.goto(stage.url);
  await page.getByRole('heading', { name: 'One thing waits for you' }).waitFor();
  await expect.poll(() => page.title()).toBe('(1) New thread · Reborn');
  const waiting = page.getByRole('region', { name: 'Waits for you' });
  await checkPage(page, 'waiting');
  await waiting.getByRole('link', { name: /^Create the mission “Notes”/ }).click();
  const card = page.getByRole('region', { name: /^Waits for you: Create the mission “/ });
  await card.getByRole('button', { name: 'Deny' }).click();
  await page.keyboard.press('Enter');
  await expect.poll(() => page.title()).not.toContain('(1)');
});

test('missions with every outcome are listed', async () => {
  await seedMissions(stage);
  await page.goto(`${stage.url}/missions/all`);
  await rows().filter({ hasText: 'Morning summary' }).getByRole('button').click();
  await expect.poll(() => runs().count()).toBe(8);
  await page.getByText('another run was under way').first().waitFor();
  await page.getByRole('button', { name: 'Close' }).click();
  await rows().filter({ hasText: 'Invoices' }).getByRole('button').click();
  await page.getByText('Paused because its last runs failed.').waitFor();
});

test.each([
  ['light', 1440],
  ['dark', 1024],
  ['light', 390],
  ['dark', 390],
] as const)(
  'the list, the timeline and the form are accessible and fit the window: %s, %i pixels',
  async (theme, width) => {
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize({ width, height: 844 });
    await page.goto(`${stage.url}/missions/all`);
    await rows().first().waitFor();
    await checkPage(page, `list-${theme}-${width}`);
    await rows().first().getByRole('button').click();
    await runs().first().waitFor();
    await checkPage(page, `timeline-${theme}-${width}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('dialog').getByText('Thread, overlap and budgets').click();
    await page.getByRole('dialog').getByRole('status').getByRole('listitem').first().waitFor();
    await checkPage(page, `form-${theme}-${width}`);
  },
);
