import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openChromium } from './open-chromium.ts';
import { startStage } from './stage.ts';
import { ask, conversation, countedIn } from './talk.ts';

let stage: Awaited<ReturnType<typeof startStage>>;
let browser: Awaited<ReturnType<typeof openChromium>>;

beforeAll(async () => {
  [stage, browser] = await Promise.all([startStage(), openChromium()]);
});

afterAll(async () => {
  await browser.close();
  await stage.close();
});

test('the login link leads to a chat, and the first message is answered there', async () => {
  const page = await browser.signIn(stage.url);
  expect(page.url()).toBe(`${stage.url}/`);
  await ask(page, 'say **hello** there');
  await page.getByRole('article').getByText('hello there').waitFor();
  expect(page.url()).toContain('/threads/');
  expect(await page.locator('article strong, article [data-streamdown="strong"]').innerText()).toBe('hello');
  expect(page.problems).toEqual([]);
  await page.close();
});

test('an answer is shown while it is made', async () => {
  const page = await browser.signIn(stage.url);
  await ask(page, 'count 60 every 30');
  await page.locator('article[aria-busy="true"]').getByText(/\b5\b/).waitFor();
  expect(await countedIn(page)).not.toContain(59);
  await page
    .locator('article[aria-busy="false"]')
    .getByText(/\b59\b/)
    .waitFor();
  expect(await countedIn(page)).toEqual(Array.from({ length: 60 }, (_, index) => index));
  await page.close();
});

test('a page that is reloaded in mid-stream loses nothing and doubles nothing', async () => {
  const page = await browser.signIn(stage.url);
  await ask(page, 'count 80 every 40');
  await page
    .locator('article')
    .getByText(/\b10\b/)
    .waitFor();
  await page.reload();
  await page
    .locator('article[aria-busy="false"]')
    .getByText(/\b79\b/)
    .waitFor();
  expect(await countedIn(page)).toEqual(Array.from({ length: 80 }, (_, index) => index));
  await page.close();
});

test('two tabs agree on a thread, whichever of them asks', async () => {
  const one = await browser.signIn(stage.url);
  await ask(one, 'say begun');
  await one.getByRole('article').getByText('begun').waitFor();
  const other = await browser.open();
  await other.goto(one.url());
  await other.getByRole('article').getByText('begun').waitFor();
  await ask(other, 'say from the other');
  await one.getByRole('article').getByText('from the other').waitFor();
  await ask(one, 'say and back');
  await other.getByRole('article').getByText('and back').waitFor();
  await expect.poll(async () => (await conversation(one)) === (await conversation(other))).toBe(true);
  await Promise.all([one.close(), other.close()]);
});

test('a turn can be stopped, and what was said stays', async () => {
  const page = await browser.signIn(stage.url);
  await ask(page, 'count 500 every 40');
  await page.locator('article').getByText(/\b5\b/).waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('Stopped by you.').waitFor();
  expect((await countedIn(page)).length).toBeLessThan(400);
  await page.close();
});

test('a failed turn says why, and can be tried again', async () => {
  const page = await browser.signIn(stage.url);
  await ask(page, 'break 400');
  await page.getByRole('alert').filter({ hasText: '400' }).waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(() => page.getByRole('log').getByText('break 400', { exact: true }).count()).toBe(2);
  await page.close();
});

test('a message that is edited goes into a new thread, with what came before it', async () => {
  const page = await browser.signIn(stage.url);
  await ask(page, 'say first');
  await page.getByRole('article').getByText('first').waitFor();
  await ask(page, 'say second');
  await page.getByRole('article').getByText('second').waitFor();
  const before = page.url();
  await page.getByText('say second', { exact: true }).hover();
  await page.getByRole('button', { name: 'Edit and send as a new thread' }).last().click();
  await page.getByRole('textbox', { name: 'Edit the message' }).fill('say changed');
  await page.getByRole('button', { name: 'Send as a new thread', exact: true }).click();
  await page.getByRole('article').getByText('changed').waitFor();
  expect(page.url()).not.toBe(before);
  const shown = await conversation(page);
  expect(shown).toContain('first');
  expect(shown).not.toContain('second');
  await page.close();
});

test('a draft outlives the page', async () => {
  const page = await browser.signIn(stage.url);
  await page.getByRole('textbox', { name: 'Message' }).fill('half a thought');
  await page.reload();
  await expect.poll(() => page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('half a thought');
  await page.getByRole('textbox', { name: 'Message' }).fill('');
  await page.close();
});

test('a thread can be renamed, pinned, exported, archived and deleted', async () => {
  const page = await browser.signIn(stage.url);
  await ask(page, 'say sorted');
  await page.getByRole('article').getByText('sorted').waitFor();
  const row = page.getByRole('navigation', { name: 'Threads and pages' });
  const choose = async (title: string, entry: string) => {
    await row.getByRole('link', { name: title, exact: true }).hover();
    await page
      .getByRole('button', { name: `Actions on ${title}` })
      .first()
      .click();
    await page.getByRole('menuitem', { name: entry, exact: true }).click();
  };
  await choose('say sorted', 'Rename');
  await page.getByRole('textbox', { name: 'Title of the thread' }).fill('Papers');
  await page.keyboard.press('Enter');
  await row.getByRole('link', { name: 'Papers' }).waitFor();
  await choose('Papers', 'Pin');
  await row.getByRole('region', { name: 'Pinned' }).getByRole('link', { name: 'Papers' }).waitFor();

  const download = page.waitForEvent('download');
  await choose('Papers', 'Export as Markdown');
  expect((await download).suggestedFilename()).toMatch(/\.md$/);

  await choose('Papers', 'Archive');
  await row.getByRole('link', { name: 'Papers' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Show the archive' }).click();
  await row.getByRole('link', { name: 'Papers' }).waitFor();
  await choose('Papers', 'Delete');
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await row.getByRole('link', { name: 'Papers' }).waitFor({ state: 'detached' });
  expect(page.url()).toBe(`${stage.url}/`);
  await page.close();
});

test('an attachment that is pasted goes along, and is shown from the service', async () => {
  const page = await browser.signIn(stage.url);
  await page.getByRole('textbox', { name: 'Message' }).fill('say seen');
  await page.locator('input[type=file]').setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: DOT });
  await page.getByText('dot.png').waitFor();
  await page.keyboard.press('Enter');
  const image = page.getByRole('img', { name: 'Attached' });
  await image.waitFor();
  await expect.poll(() => image.evaluate((element) => (element as HTMLImageElement).naturalWidth)).toBe(1);
  await page.close();
});

test('the whole conversation goes by keyboard alone', async () => {
  const page = await browser.signIn(stage.url);
  await page.keyboard.type('say by hand');
  await page.keyboard.press('Enter');
  await page.getByRole('article').getByText('by hand').waitFor();
  await page.keyboard.type('say and again');
  await page.keyboard.press('Enter');
  await page.getByRole('article').getByText('and again').waitFor();
  await openPalette(page);
  await page.keyboard.type('jobs');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor();
  await openPalette(page);
  await page.keyboard.type('by hand');
  await page.getByRole('option', { name: 'say by hand' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('article').getByText('and again').waitFor();
  expect(await conversation(page)).toContain('say by hand');
  await page.close();
});

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('combobox');
}

const DOT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
