import { afterAll, beforeAll, expect, test } from 'vitest';
import { isPossible } from '../sandbox/guest.ts';
import { checkPage } from './check-page.ts';
import { openChromium } from './open-chromium.ts';
import { startStage } from './stage.ts';

let stage: Awaited<ReturnType<typeof startStage>>;
let browser: Awaited<ReturnType<typeof openChromium>>;

beforeAll(async () => {
  const demo = { LLM_PROVIDER: '', LLM_MODEL: '', LLM_BASE_URL: '', SANDBOX: 'auto' };
  [stage, browser] = await Promise.all([startStage(demo), openChromium()]);
});

afterAll(async () => {
  await browser.close();
  await stage.close();
});

test('a new installation says what it is, and its three cards work with the demo model', async () => {
  const page = await browser.signIn(stage.url);
  await page.getByRole('heading', { name: 'It works for you, and asks before it acts.' }).waitFor();
  await page.getByText('The demo model answers now.').waitFor();
  expect(await page.getByRole('link', { name: 'Add a model' }).getAttribute('href')).toBe('/settings/models');
  const cards = page.getByRole('region', { name: 'Try it now' }).getByRole('button');
  expect(await cards.count()).toBe(3);
  for (const [theme, width] of [
    ['light', 1440],
    ['dark', 390],
  ] as const) {
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize({ width, height: 844 });
    await checkPage(page, `first-new-${theme}-${width}`);
  }
  await page.setViewportSize({ width: 1440, height: 900 });

  await cards.filter({ hasText: 'See an approval' }).click();
  const gate = page.getByRole('region', { name: /^Waits for you: Save the note / });
  await gate.getByRole('button', { name: 'Approve once' }).click();
  await page.getByRole('article').getByText('Saved: “I prefer short answers.”').waitFor();

  // Someone who has a thread is shown the state of things.
  await page.goto(stage.url);
  await page.getByRole('heading', { name: 'Nothing waits for you' }).waitFor();
  await page.getByRole('button', { name: 'Create a mission' }).click();
  await page.getByRole('region', { name: /^Waits for you: Create the mission “Reminder: plan the day”/ }).waitFor();
  await page.goto(stage.url);
  const waiting = page.getByRole('region', { name: 'Waits for you' });
  await waiting.getByRole('link', { name: /^Create the mission/ }).waitFor();

  if (!isPossible) return;
  await page.getByRole('button', { name: 'Make a chart' }).click();
  await page.getByRole('article').getByText('Here is the chart').waitFor();
  await expect.poll(() => page.getByRole('img', { name: 'Open sales.png' }).count()).toBe(1);
  expect(page.problems).toEqual([]);
});

test('a card whose words the person completes is started in the composer', async () => {
  const other = await stage.service.request('/api/starters');
  expect(await other.json()).toMatchObject({ first: expect.arrayContaining(['approval', 'mission']) });
  const page = await browser.signIn(stage.url);
  await page.route('**/api/starters', (route) =>
    route.fulfill({ json: { first: ['file'], later: ['file', 'daily'] } }),
  );
  await page.goto(stage.url);
  await page.getByRole('button', { name: 'Do something every day' }).click();
  await expect
    .poll(() => page.getByRole('textbox', { name: 'Message' }).inputValue())
    .toMatch(/^Every weekday at 08:00 \(.+\): $/);
});
