import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { newId } from '#domain/ids.ts';
import { addUser } from '../support/accounts.ts';
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

test('a member sets instructions, titles, theme and tokens, downloads their data, and ends a session', async () => {
  const ann = await addUser(stage.service, `Ann ${Date.now()}`);
  const page = await browser.signIn(stage.url, { token: ann.token });
  onTestFinished(async () => {
    await page.evaluate(() => localStorage.removeItem('reborn.theme'));
    await page.close();
  });
  await ask(page, 'say hello to me');
  await page.getByRole('article').getByText('hello to me').waitFor();

  await page.getByRole('button', { name: /account and settings/ }).click();
  await page.getByRole('menuitem', { name: 'Settings' }).click();
  await page.getByRole('heading', { level: 1, name: 'General' }).waitFor();
  const section = (name: string) => page.getByRole('region', { name, exact: true });
  const index = page.getByRole('navigation', { name: 'Settings' });
  const go = (name: string) => index.getByRole('link', { name, exact: true }).click();
  await section('Profile').getByText(ann.id).waitFor();

  await go('Instructions');
  await page.getByLabel('About you').fill('I live in Oslo.');
  await page.getByRole('button', { name: 'Save' }).first().click();
  await page.getByText('Saved').waitFor();
  await page.goto(stage.url);
  await ask(page, 'recite');
  await page.getByRole('article').getByText('I live in Oslo.').first().waitFor();

  await page.goto(`${stage.url}/settings/instructions`);
  await expect.poll(() => page.getByLabel('About you').inputValue()).toBe('I live in Oslo.');
  await go('General');
  const titles = section('Chat').getByRole('switch', { name: 'Name threads by itself' });
  await titles.click();
  await section('Chat').getByText('Saved').waitFor();
  await expect.poll(() => titles.getAttribute('aria-checked')).toBe('false'); // it follows what is stored
  await section('Appearance').getByText('Dark').click();
  expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
  await section('Appearance').getByText('Large').click();
  expect(await page.locator('html').getAttribute('data-text')).toBe('large');
  await page.reload();
  await expect.poll(() => titles.getAttribute('aria-checked')).toBe('false');
  expect(await page.locator('html').getAttribute('data-text')).toBe('large');
  await section('Appearance').getByText('Normal').click();

  await go('Access');
  await section('Tokens').getByLabel('Name of a new token').fill('laptop');
  await section('Tokens').getByRole('button', { name: 'Make a token' }).click();
  await section('Tokens').getByText('It is shown only once.').waitFor();
  await section('Tokens')
    .getByRole('listitem')
    .filter({ hasText: 'laptop' })
    .getByRole('button', { name: 'Revoke' })
    .click();
  await expect.poll(() => section('Tokens').getByRole('listitem').filter({ hasText: 'laptop' }).count()).toBe(0);

  await go('Your data');
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download' }).click();
  expect(await readFile(await (await download).path(), 'utf8')).toContain('hello to me');

  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Go to a page or a thread').waitFor();
  await page.keyboard.press('Escape');
  await index.getByRole('link', { name: 'Leave the settings' }).click();
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
  await page.goto(`${stage.url}/settings/access`);
  await section('Signed-in browsers').getByRole('button', { name: 'Sign out' }).first().click();
  await page.getByLabel('Token', { exact: true }).waitFor();
  expect(page.problems).toEqual([]);
});

test('on a phone, the index of the settings is a page, and each of them leads back to it', async () => {
  const page = await browser.signIn(stage.url);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${stage.url}/settings`);
  await page.getByRole('main').getByRole('link', { name: 'Approvals' }).click();
  await page.getByRole('heading', { level: 1, name: 'Approvals' }).waitFor();
  await page.getByRole('main').getByRole('link', { name: 'All settings' }).click();
  await page.getByRole('main').getByRole('link', { name: 'Leave the settings' }).click();
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
  await page.goto(`${stage.url}/operator/audit?from=mail#end`);
  await page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor();
  expect(page.url()).toBe(`${stage.url}/settings/audit?from=mail#end`);
  expect(page.problems).toEqual([]);
  await page.close();
});

test('lists are walked with J, K and the arrow keys, and a row that is gone gives the focus to the next one', async () => {
  const page = await browser.signIn(stage.url);
  for (const path of ['one', 'two', 'three'])
    await stage.service.request(`/api/memory/walk/${path}`, { method: 'PUT', body: JSON.stringify({ text: path }) });
  await page.goto(`${stage.url}/memory`);
  const rows = page.getByRole('list', { name: 'Notes' }).getByRole('button');
  await rows.first().focus();
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');
  await page.keyboard.press('j');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('k');
  expect(await focused()).toBe(await rows.nth(1).textContent());
  await page.keyboard.press('End');
  expect(await focused()).toBe(await rows.last().textContent());

  for (const tool of ['first', 'second', 'third'])
    await stage.home.query(
      `insert into standing_approvals (id, user_id, tool, shape, digest, situation)
       values (gen_random_uuid(), 'operator', $1, '', $1, 'clean')`,
      [tool],
    );
  await page.goto(`${stage.url}/settings/approvals`);
  const revoke = (tool: string) => page.getByRole('button', { name: `Revoke the approval of ${tool}` });
  await revoke('second').click();
  await revoke('second').waitFor({ state: 'detached' });
  await expect.poll(() => page.evaluate(() => document.activeElement?.ariaLabel)).toMatch(/^Revoke the approval of/);
  await stage.home.query('delete from standing_approvals');
  await page.close();
});

test('a member deletes their account, gets a certificate, and is signed out', async () => {
  const name = `Erin ${Date.now()}`;
  const erin = await addUser(stage.service, name);
  const page = await browser.signIn(stage.url, { token: erin.token, path: '/settings/data' });
  await page.getByRole('button', { name: 'Delete my account' }).click();
  const question = page.getByRole('dialog', { name: 'Delete your account?' });
  await question.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Delete my account' }).click();
  const erase = question.getByRole('button', { name: 'Erase everything' });
  expect(await erase.isDisabled()).toBe(true);
  await question.getByLabel(`Type ${name} to confirm`).fill(name);
  await checkLooks(page, 'Settings, deleting the account');
  const saved = page.waitForEvent('download');
  await erase.click();
  expect(JSON.parse(await readFile(await (await saved).path(), 'utf8'))).toMatchObject({
    status: 'completed',
    certificate: { subject: erin.id, deleted: { tokens: 1, users: 1 } },
  });
  await page.getByLabel('Token').waitFor();
  expect((await stage.service.request('/api/me', { headers: erin.headers })).status).toBe(401);
  await page.close();
});

test('the app speaks the language of the browser or the chosen one, from the first word on', async () => {
  const page = await browser.signIn(stage.url, { path: '/settings' });
  await page.getByLabel('Language', { exact: true }).selectOption({ label: 'Deutsch' });
  await page.getByRole('heading', { level: 1, name: 'Allgemein' }).waitFor();
  expect(await page.locator('html').getAttribute('lang')).toBe('de');
  await page.getByRole('navigation').getByRole('link', { name: 'Freigaben' }).waitFor();
  await checkLooks(page, 'settings-de');

  await page.addInitScript(recordTexts);
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Allgemein' }).waitFor();
  expect(await page.title()).toBe('Allgemein · Reborn');
  const shown = await page.evaluate(() => [...(globalThis as unknown as { shown: Set<string> }).shown]);
  expect(shown).toContain('Freigaben');
  expect(shown.filter((text) => /Settings|General|Loading|Approvals/.test(text))).toEqual([]);

  await page.goto(stage.url);
  await page.getByRole('textbox', { name: 'Nachricht' }).fill('say 1');
  await page.keyboard.press('Enter');
  await page.getByRole('article').getByText('1', { exact: true }).waitFor();
  await page.getByTitle(/^\d+ Token$/).waitFor({ state: 'attached' }); // an unknown price is left out

  await page.goto(`${stage.url}/settings`);
  await page.getByLabel('Sprache', { exact: true }).selectOption({ label: 'Norsk bokmål' });
  await page.getByRole('heading', { level: 1, name: 'Generelt' }).waitFor();
  await page.getByLabel('Språk', { exact: true }).selectOption({ label: 'Nettleserens språk' });
  await page.getByRole('heading', { level: 1, name: 'General' }).waitFor();
  expect(page.problems).toEqual([]);
  await page.close();
});

/** Every text that the page shows, and every name that it gives to a button or a field, from the beginning. */
function recordTexts(): void {
  const shown = new Set<string>();
  Object.assign(globalThis, { shown });
  const read = () => {
    for (const element of document.querySelectorAll('body, [aria-label]'))
      for (const text of [element.getAttribute('aria-label'), ...(element as HTMLElement).innerText.split('\n')])
        if (text) shown.add(text);
  };
  new MutationObserver(read).observe(document, { subtree: true, childList: true, characterData: true });
}

test('a person gets a code for a chat app, and unlinks a chat', async () => {
  await stage.home.query('delete from chat_accounts');
  const page = await browser.signIn(stage.url, { path: '/settings/chat-apps' });
  const section = page.getByRole('main');
  await section.getByText('No chat app is connected').waitFor();

  const id = newId();
  await stage.home.query(
    `insert into chat_accounts (id, channel, remote_id, name, mode, groups) values ($1, 'telegram', '7', 'reborn_bot', 'webhook', false)`,
    [id],
  );
  await stage.home.query(
    `insert into chat_links (account_id, sender, user_id, name, chat) values ($1, '42', 'operator', 'Ann', '42')`,
    [id],
  );
  await page.reload();
  await section.getByRole('button', { name: 'Get a code' }).click();
  await expect.poll(() => section.getByRole('status').innerText()).toMatch(/^Send\s+[A-Z2-9]{5}-[A-Z2-9]{5}\s/);
  const link = section.getByRole('link', { name: 'Open reborn_bot' });
  expect(await link.getAttribute('href')).toMatch(/^https:\/\/t\.me\/reborn_bot\?start=/);
  await checkLooks(page, 'chat-apps');
  await section.getByRole('listitem').getByRole('button', { name: 'Unlink' }).click();
  await expect.poll(() => section.getByRole('listitem').count()).toBe(0);
  expect(page.problems).toEqual([]);
  await page.close();
});

test('a template is stored, written by / with its variables selected, and notes and skills are named by @', async () => {
  await stage.service.request('/api/memory/likes/tea', { method: 'PUT', body: JSON.stringify({ text: 'Green tea.' }) });
  const page = await browser.signIn(stage.url, { path: '/settings/instructions' });
  const section = page.getByRole('region', { name: 'Prompt templates', exact: true });
  await section.getByLabel('Name of the template').fill('letter');
  await section.getByLabel('Text of the template').fill('say Dear {{name}}, about {{topic}}');
  await section.getByRole('button', { name: 'Save the template' }).click();
  await section.getByRole('listitem').filter({ hasText: '/letter' }).waitFor();

  await page.goto(stage.url);
  const message = page.getByRole('textbox', { name: 'Message' });
  await message.pressSequentially('/let');
  await page
    .getByRole('listbox', { name: 'Templates' })
    .getByRole('option', { name: /letter/ })
    .waitFor();
  await checkLooks(page, 'templates');
  await message.press('Enter');
  await expect.poll(() => message.inputValue()).toBe('say Dear {{name}}, about {{topic}}');
  await page.keyboard.type('Ann');
  await page.keyboard.press('Tab');
  await page.keyboard.type('tea');
  expect(await message.inputValue()).toBe('say Dear Ann, about tea');
  await page.keyboard.type(' as in @tea');
  await page
    .getByRole('listbox', { name: 'Assistants, notes, skills and resources' })
    .getByRole('option', { name: /likes\/tea/ })
    .waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(() => message.inputValue()).toBe('say Dear Ann, about tea as in my note "likes/tea" ');
  await page.keyboard.press('Enter');
  await page.getByRole('article').getByText('Dear Ann, about tea as in my note').waitFor();
  expect(page.problems).toEqual([]);
  await page.close();
});

test('a standing approval is listed with what it covers, and revoked', async () => {
  const mission = { name: 'Morning', instruction: 'say hello', schedule: { at: '2999-01-01T00:00', time_zone: 'UTC' } };
  const made = await stage.service.request('/api/missions', { method: 'POST', body: JSON.stringify(mission) });
  const { id } = (await made.json()) as { id: string };
  await stage.home.query(
    `insert into standing_approvals (id, user_id, tool, shape, digest, situation, mission_id)
     values (gen_random_uuid(), 'operator', 'send_mail', 'to: "ann@example.com"', '', 'foreign', $1)`,
    [id],
  );
  const page = await browser.signIn(stage.url, { path: '/settings/approvals' });
  const approvals = page.getByRole('list', { name: 'Standing approvals' });
  await approvals.getByText('to: "ann@example.com"').waitFor();
  await approvals.getByText('also after reading text by others').waitFor();
  await approvals.getByText('only for the mission “Morning”').waitFor();
  await checkLooks(page, 'standing-approvals');
  await approvals.getByRole('button', { name: 'Revoke the approval of send_mail' }).click();
  await page.getByText('No standing approvals').waitFor();
  expect(await stage.home.query('select from standing_approvals')).toEqual([]);
  await page.close();
});

test('a long page scrolls inside itself, and the rest of the app stays', async () => {
  const page = await browser.signIn(stage.url, { path: '/settings/instructions' });
  const last = page.getByRole('button', { name: 'Save the template' });
  await page.setViewportSize({ width: 1280, height: 400 });
  await last.waitFor();
  await last.evaluate((element) => element.scrollIntoView());
  expect(await page.evaluate(() => document.scrollingElement?.scrollTop)).toBe(0);
  await page.close();
});

test('chats of ChatGPT become threads, and another file is refused', async () => {
  const message = (role: string, text: string) => ({
    author: { role },
    content: { content_type: 'text', parts: [text] },
    create_time: 1_709_280_030,
  });
  const conversations = [1, 2].map((number) => ({
    id: `browser ${number}`,
    title: `Boats ${number}`,
    create_time: 1_709_280_000,
    update_time: 1_709_280_060,
    current_node: 'b',
    mapping: {
      a: { parent: null, message: message('user', 'Which boat is fast?') },
      b: { parent: 'a', message: message('assistant', `The **catamaran** ${number}.`) },
    },
  }));
  const page = await browser.signIn(stage.url, { path: '/settings/data' });
  await page.getByRole('button', { name: 'Import' }).click();
  const dialog = page.getByRole('dialog', { name: 'Import chats from ChatGPT' });
  await dialog.getByText('conversations.json').waitFor();
  await checkLooks(page, 'import-chats');
  const choose = (text: string) =>
    page.locator('input[accept$=".json"]').setInputFiles({
      name: 'conversations.json',
      mimeType: 'application/json',
      buffer: Buffer.from(text),
    });
  await choose('{"chats": []}');
  await dialog.getByRole('alert').getByText('This is not a whole conversations.json').waitFor();
  await choose(JSON.stringify(conversations));
  await dialog.getByRole('status').getByText('2 chats are imported.').waitFor();
  expect(await dialog.getByRole('alert').count()).toBe(0);
  await choose(JSON.stringify(conversations));
  await dialog.getByRole('status').getByText('0 chats are imported. 2 were here already.').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();

  await page.goto(stage.url);
  await page.getByRole('link', { name: 'Boats 2' }).click();
  await page.getByRole('article').getByText('catamaran').waitFor();
  await page.getByText('has read text by others').waitFor();
  expect(page.problems).toEqual([]);
  await page.close();
});
