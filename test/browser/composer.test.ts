import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkLooks, findViolationsInBothThemes } from './check-page.ts';
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

afterAll(async () => {
  await browser.close();
  await stage.close();
});

const composer = (page: Page) => page.getByRole('textbox', { name: 'Message' });
const stop = (page: Page) => page.getByRole('button', { name: 'Stop', exact: true });
const send = (page: Page) => page.getByRole('button', { name: 'Send', exact: true });
const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));

test('Stop stands where Send does while the agent works, until something is typed; Esc stops', async () => {
  const page = await browser.signIn(stage.url);
  expect(await composer(page).getAttribute('placeholder')).toBe('What should be done?');
  await ask(page, 'count 500 every 40');
  await page.locator('article').getByText(/\b5\b/).waitFor();
  await stop(page).waitFor();
  expect(await send(page).count()).toBe(0);
  const square = stop(page).locator('span');
  expect(await square.evaluate((sign) => Number.parseFloat(getComputedStyle(sign).borderRadius))).toBeLessThan(4);
  expect(await composer(page).getAttribute('placeholder')).toBe('Write to steer, or press Esc to stop');
  await composer(page).fill('more');
  await send(page).waitFor();
  expect(await stop(page).count()).toBe(0);

  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Search' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'Search' }).waitFor({ state: 'detached' });
  expect(await page.getByText('Stopped by you.').count()).toBe(0);

  await composer(page).press('Escape');
  await page.getByText('Stopped by you.').waitFor();
  expect(await composer(page).inputValue()).toBe('more');
  expect(await composer(page).getAttribute('placeholder')).toBe('Reply');
  await page.close();
});

const write = async (page: Page, words: string) => {
  await composer(page).fill('');
  await composer(page).pressSequentially(words);
};

test('/ and @ open without anything to offer, and lead to the first one; Enter sends what only looks like a name', async () => {
  const page = await browser.signIn(stage.url);
  await write(page, '/');
  await page.getByRole('option', { name: /^Create a template/ }).waitFor();
  expect(await findViolationsInBothThemes(page)).toEqual([]);
  await write(page, 'hello @nosuchname');
  await page.getByRole('option', { name: /^Write a note/ }).waitFor();
  await write(page, '/nothing');
  await page.getByRole('option', { name: /^Create a template/, selected: false }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('log').getByText('/nothing').first().waitFor();

  await write(page, '/');
  await page.getByRole('option', { name: /^Create a template/, selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL('**/settings/instructions');
  await page.close();
});

test('the up key in an empty message edits the last one, or takes back one that waits', async () => {
  const page = await browser.signIn(stage.url);
  await ask(page, 'say one');
  await page.getByRole('article').getByText('one').waitFor();
  await stop(page).waitFor({ state: 'detached' });
  await composer(page).press('ArrowUp');
  const edit = page.getByRole('textbox', { name: 'Edit the message' });
  await expect.poll(() => edit.inputValue()).toBe('say one');
  expect(await focused(page)).toBe('Edit the message');
  await page.keyboard.press('Escape');
  await edit.waitFor({ state: 'detached' });
  await expect.poll(() => focused(page)).toBe('Message');

  await ask(page, 'count 500 every 40');
  await page
    .locator('article')
    .getByText(/\b4\s+5\b/)
    .waitFor();
  await ask(page, 'say later');
  await page.getByRole('region', { name: 'Queued message' }).waitFor();
  await composer(page).press('ArrowUp');
  await expect.poll(() => composer(page).inputValue()).toBe('say later');
  await page.getByRole('region', { name: 'Queued message' }).waitFor({ state: 'detached' });
  await composer(page).press('Escape');
  await page.getByText('Stopped by you.').waitFor();
  await page.close();
});

test('after an answer to a gate the focus is in the message, from where Alt ↑ and Alt ↓ go and come back', async () => {
  const page = await browser.signIn(stage.url);
  await ask(page, 'use send_mail {"to": "ann@example.com"}');
  const card = page.getByRole('region', { name: 'Waits for you: Run send_mail?' });
  await card.waitFor();
  expect(await composer(page).getAttribute('placeholder')).toBe('Reply, or write what to do instead');
  expect(await page.getByTitle('What the thread has cost so far').count()).toBe(0); // nobody knows yet
  await composer(page).press('Alt+ArrowUp');
  expect(await focused(page)).toBe('Waits for you: Run send_mail?');
  await page.keyboard.press('Alt+ArrowDown');
  expect(await focused(page)).toBe('Message');
  await card.getByRole('button', { name: 'Approve once' }).click();
  await page.getByRole('article').getByText('result: sent number').waitFor();
  expect(await focused(page)).toBe('Message');
  expect(sent).toHaveLength(1);
  await page.close();
});

test('keys lead to a new thread, to the next thread that waits, and to the list of keys', async () => {
  const page = await browser.signIn(stage.url);
  await ask(page, 'use send_mail {"to": "ben@example.com"}');
  await page.getByRole('button', { name: 'Deny' }).waitFor();
  const waiting = page.url();
  await composer(page).press('Control+Shift+O');
  await page.waitForURL(`${stage.url}/`);
  await page.keyboard.press('Alt+w');
  await page.waitForURL(waiting);
  await page.keyboard.press('Control+/');
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await dialog.getByText('Go to the next thread that waits for you').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.keyboard.press('Enter');
  await page.getByText('Denied by you').waitFor();
  await page.close();
});

test('a long message is folded after 12 lines, and only the newest answer shows its actions', async () => {
  const page = await browser.signIn(stage.url);
  await ask(page, 'say first');
  await page.getByRole('article').getByText('first').waitFor();
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`);
  await composer(page).fill(`say done\n${lines.join('\n')}`);
  await page.keyboard.press('Enter');
  const all = page.getByRole('button', { name: 'Show all, 31 lines' });
  await all.waitFor();
  const last = page.getByText('line 30').first();
  await stop(page).waitFor({ state: 'detached' });
  await page.mouse.move(0, 0);
  const copies = page.getByRole('article').getByRole('button', { name: 'Copy' });
  const opacities = () =>
    copies.evaluateAll((buttons) => buttons.map((button) => getComputedStyle(button.parentElement ?? button).opacity));
  await expect.poll(opacities).toEqual(['0', '1']);
  await checkLooks(page, 'thread-folded');
  const height = async () => (await last.boundingBox())?.height ?? 0;
  const before = await height();
  await all.click();
  await expect.poll(height).toBeGreaterThanOrEqual(before);
  await all.waitFor({ state: 'detached' });
  await page.close();
});

test('words of an answer are quoted in the message, by mouse and by keyboard, and are below what was typed', async () => {
  const page = await browser.signIn(stage.url);
  await ask(page, 'say one two three');
  const answer = page.getByRole('article').getByText('one two three', { exact: true });
  await answer.waitFor();
  await stop(page).waitFor({ state: 'detached' });
  await page.getByText(/^\d[\d.]* (ms|s)/).waitFor(); // how long it took
  await answer.dblclick({ position: { x: 5, y: 10 } });
  const quote = page.getByRole('button', { name: 'Quote' });
  await quote.waitFor();
  await checkLooks(page, 'quote');
  await answer.dblclick({ position: { x: 5, y: 10 } }); // another width may have taken the selection out of view
  await quote.click();
  await quote.waitFor({ state: 'detached' });
  expect(await composer(page).inputValue()).toBe('> one\n\n');
  expect(await focused(page)).toBe('Message');

  await page.keyboard.type('Why?');
  await answer.evaluate((element) => getSelection()?.selectAllChildren(element));
  await quote.waitFor();
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Enter');
  expect(await composer(page).inputValue()).toBe('> one\n\nWhy?\n\n> one two three\n\n');
  expect(await focused(page)).toBe('Message');
  await page.close();
});

test('the web is turned off for a thread, and Ctrl Enter sends where a person wants that', async () => {
  const page = await browser.signIn(stage.url);
  const web = page.getByRole('switch', { name: 'Web search' });
  const offered = () => stage.model.seen.at(-1)?.tools ?? [];
  await ask(page, 'say with');
  await page.getByRole('article').getByText('with', { exact: true }).waitFor();
  expect(offered()).toContain('reborn_web_fetch');
  await web.click();
  await page.reload();
  await page.getByRole('switch', { name: 'Web search', checked: false }).waitFor();
  await ask(page, 'say without');
  await page.getByRole('article').getByText('without', { exact: true }).waitFor();
  expect(offered()).not.toContain('reborn_web_fetch');
  await page.getByRole('button', { name: 'Answer again' }).last().click();
  await page.getByText('2 / 2').waitFor();
  expect(offered()).not.toContain('reborn_web_fetch');
  await checkLooks(page, 'web-off');

  await page.evaluate(() => localStorage.setItem('reborn.send-key', 'ctrl-enter'));
  await page.reload();
  await composer(page).fill('say a');
  await composer(page).press('Enter');
  expect(await composer(page).inputValue()).toBe('say a\n');
  await composer(page).press('Control+Enter');
  await page.getByRole('article').getByText('a', { exact: true }).waitFor();
  await page.evaluate(() => localStorage.removeItem('reborn.send-key'));
  await page.close();
});
