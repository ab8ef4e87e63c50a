import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkLooks } from './check-page.ts';
import { openChromium } from './open-chromium.ts';
import { startStage } from './stage.ts';
import { ask } from './talk.ts';

let stage: Awaited<ReturnType<typeof startStage>>;
let browser: Awaited<ReturnType<typeof openChromium>>;

beforeAll(async () => {
  [stage, browser] = await Promise.all([startStage(), openChromium()]);
});

afterAll(async () => {
  await browser.close();
  await stage.close();
});

test('an assistant is made with a form, tried beside it, and then answers by its name', async () => {
  const page = await browser.signIn(stage.url, { path: '/assistants' });
  await page.getByText('No assistants yet').waitFor();
  await page.getByRole('button', { name: 'Create an assistant' }).click();
  await page.getByLabel('Name', { exact: true }).fill('research');
  await page.getByLabel('What it is for').fill('Finds things out.');
  await page.getByLabel('Instructions').fill('Name your sources.');
  await page.getByText('Model, tools and budgets').click();
  await page.getByLabel('Tools', { exact: true }).fill('time_now');
  await page.getByRole('button', { name: 'Create', exact: true }).click();

  const pane = page.getByRole('region', { name: 'Try it' });
  await pane.getByLabel('Message to research').fill('recite');
  await pane.getByRole('button', { name: 'Try', exact: true }).click();
  await pane.getByText('Name your sources.').waitFor();
  await page.getByLabel('Instructions').fill('Be brief.');
  await pane.getByText('Your changes count once they are saved.').waitFor();
  await page.getByRole('button', { name: 'Save version 2' }).click();
  await page.getByRole('button', { name: 'Save version 3' }).waitFor();
  await pane.getByLabel('Message to research').fill('recite');
  await pane.getByRole('button', { name: 'Try', exact: true }).click();
  await pane.getByText('Be brief.').waitFor();
  await checkLooks(page);
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: /research/ }).waitFor();

  await page.goto(`${stage.url}/`);
  const box = page.getByRole('textbox', { name: 'Message' });
  await box.pressSequentially('@res');
  await page.getByRole('option', { name: /research/ }).click();
  await expect.poll(() => box.inputValue()).toBe('@research ');
  await ask(page, '@research recite');
  await page.getByRole('article').getByText('Be brief.').waitFor();
  await page.getByRole('button', { name: 'Assistant: research' }).waitFor();

  await page.getByRole('button', { name: 'Assistant: research' }).click();
  await page.getByRole('menuitem', { name: 'Usual agent' }).click();
  await ask(page, 'recite');
  await expect.poll(() => page.getByRole('article').count()).toBe(2);
  await expect.poll(() => page.getByRole('article').last().innerText()).toContain('You are Reborn');
  const used = await stage.home.query<{ name: string | null; version: string | null }>(
    `select request -> 'assistant' ->> 'name' as name, request -> 'assistant' ->> 'version' as version
     from turns join threads on threads.id = thread_id where not threads.temporary order by turns.created_at`,
  );
  expect(used).toEqual([
    { name: 'research', version: '2' },
    { name: null, version: null },
  ]);
  await page.close();
});
