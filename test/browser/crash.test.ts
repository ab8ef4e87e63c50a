import { afterAll, beforeAll, expect, test } from 'vitest';
import { openChromium } from './open-chromium.ts';
import { startMortalStage } from './stage.ts';
import { ask, countedIn } from './talk.ts';

let stage: Awaited<ReturnType<typeof startMortalStage>>;
let browser: Awaited<ReturnType<typeof openChromium>>;

beforeAll(async () => {
  [stage, browser] = await Promise.all([startMortalStage(), openChromium()]);
});

afterAll(async () => {
  await browser.close();
  await stage.close();
});

test('when the service is killed during an answer, the page continues by itself, and nothing is shown twice', async () => {
  const page = await browser.signIn(stage.url);
  await page.evaluate(() => Object.assign(globalThis, { sameDocument: true }));
  await ask(page, 'count 100 every 50');
  await page
    .locator('article')
    .getByText(/\b12\b/)
    .waitFor();

  await stage.kill();
  await page.getByRole('status').filter({ hasText: 'Reconnecting' }).waitFor();
  await page.getByRole('textbox', { name: 'Message' }).fill('typed while it was away');
  await stage.start();

  await page.getByText(/Picked up after/).waitFor();
  await page
    .locator('article[aria-busy="false"]')
    .getByText(/\b99\b/)
    .waitFor();
  expect(await countedIn(page)).toEqual(Array.from({ length: 100 }, (_, index) => index));
  expect(await page.getByRole('article').count()).toBe(1);
  expect(await page.getByRole('status').filter({ hasText: 'Live' }).count()).toBe(1);
  expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('typed while it was away');
  expect(await page.evaluate(() => 'sameDocument' in globalThis)).toBe(true);

  await page.getByRole('button', { name: 'Inspect this turn' }).click();
  const inspector = page.getByRole('dialog');
  await inspector.getByRole('button', { name: /^attempt 2/ }).waitFor();
  await inspector.getByText('Said in attempt 1').waitFor();
  await page.close();
});

test('a part of the page that the service takes with it is shown when the service is back', async () => {
  const page = await browser.signIn(stage.url);
  await page.route(/\/assets\/markdown-.*\.js$/, (route) => stage.kill().then(() => route.abort()), { times: 1 });
  await ask(page, 'say **bold**');
  await page.getByRole('status').filter({ hasText: 'Reconnecting' }).waitFor();
  await page.getByRole('textbox', { name: 'Message' }).fill('typed meanwhile');
  await stage.start();

  await page.getByRole('article').locator('strong, [data-streamdown="strong"]').getByText('bold').waitFor();
  expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('typed meanwhile');
  await page.close();
});

test('a message that is sent while the service is away is taken once, when it is back', async () => {
  const page = await browser.signIn(stage.url);
  await ask(page, 'say before');
  await page.getByRole('article').getByText('before').waitFor();
  await stage.kill();
  await ask(page, 'say after');
  await page.getByText('Waits for the connection').waitFor();
  await stage.start();
  await page.getByRole('article').getByText('after').waitFor();
  expect(await page.getByText('say after', { exact: true }).count()).toBe(1);
  await page.close();
});

test('a page that is open during an upgrade loads the new version when it needs a file that is gone', async () => {
  const page = await browser.signIn(stage.url);
  await page.getByRole('textbox', { name: 'Message' }).fill('typed before the upgrade');
  await page.evaluate(() => Object.assign(globalThis, { sameDocument: true }));
  await page.route(/\/assets\/.*\.js$/, (route) => route.fulfill({ status: 404, body: 'Not found' }), { times: 1 });
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('?');

  await expect.poll(() => page.evaluate(() => 'sameDocument' in globalThis)).toBe(false);
  expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('typed before the upgrade');
  await page.close();
});
