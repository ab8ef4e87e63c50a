import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createMailTool } from './mail-tool.ts';
import { openChromium } from './open-chromium.ts';
import { startStage } from './stage.ts';
import { ask } from './talk.ts';

const { tool, sent } = createMailTool();

let stage: Awaited<ReturnType<typeof startStage>>;
let browser: Awaited<ReturnType<typeof openChromium>>;

beforeAll(async () => {
  [stage, browser] = await Promise.all([startStage({}, { tools: [tool] }), openChromium()]);
});

beforeEach(() => {
  sent.length = 0;
});

afterAll(async () => {
  await browser.close();
  await stage.close();
});

const MAIL = 'use send_mail {"to": "ann@example.com", "text": "hi"}';

test('a click on approve runs the tool once, and the thread goes on', async () => {
  const page = await browser.signIn(stage.url);
  await ask(page, MAIL);
  const card = page.getByRole('region', { name: 'Waiting for you: send_mail' });
  await card.getByText('ann@example.com').first().waitFor();
  expect(sent).toEqual([]);
  await card.getByRole('button', { name: 'Approve once' }).click();
  await page.getByRole('article').getByText('result: sent number 1').waitFor();
  expect(sent).toHaveLength(1);
  expect(await card.count()).toBe(0);
  await page.close();
});

test('a gate waits through a reload, and is denied with a reason by keyboard', async () => {
  const page = await browser.signIn(stage.url);
  await ask(page, MAIL);
  await page.getByRole('button', { name: 'Deny' }).waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Deny' }).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.type('not today');
  await page.keyboard.press('Enter');
  await page.getByRole('article').getByText('not today').waitFor();
  expect(sent).toEqual([]);
  await page.close();
});

test('a gate that is answered in one tab is gone from the other', async () => {
  const page = await browser.signIn(stage.url);
  await ask(page, MAIL);
  await page.getByRole('button', { name: 'Approve once' }).waitFor();
  const other = await browser.open();
  await other.goto(page.url());
  await other.getByRole('button', { name: 'Approve once' }).waitFor();
  await other.getByRole('button', { name: 'Approve once' }).click();
  await page.getByRole('article').getByText('result: sent').waitFor();
  await expect.poll(() => page.getByRole('button', { name: 'Approve once' }).count()).toBe(0);
  await Promise.all([page.close(), other.close()]);
});

test('who says always is not asked about the same again', async () => {
  const page = await browser.signIn(stage.url);
  await ask(page, MAIL);
  await page.getByText('Always would cover every call with').waitFor();
  await page.getByRole('button', { name: 'Always for this' }).click();
  await page.getByRole('article').getByText('result: sent number 1').waitFor();
  await ask(page, MAIL);
  await page.getByRole('article').getByText('result: sent number 2').waitFor();
  expect(sent).toHaveLength(2);
  await page.close();
});
