import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkLooks } from './check-page.ts';
import { createMailTool } from './mail-tool.ts';
import { openChromium } from './open-chromium.ts';
import { said, seedThread } from './seed-thread.ts';
import { startStage } from './stage.ts';
import { ask, conversation, share } from './talk.ts';

const { tool } = createMailTool();

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
const picked = (page: Page) => page.getByRole('list', { name: 'Attachments' }).getByRole('listitem');

test('a message that is sent from further up is scrolled to', async () => {
  const page = await browser.signIn(stage.url);
  await ask(page, `say start\n${'line\n'.repeat(80)}`);
  await page.getByRole('article').getByText('start').waitFor();
  await page.getByRole('button', { name: 'Show all, 81 lines' }).click();
  await page.getByRole('log').evaluate((log) => log.scrollTo(0, 0));
  await page.getByRole('button', { name: 'Jump to latest' }).waitFor();
  await ask(page, 'say from further up');
  await page.getByRole('article').getByText('from further up').waitFor();
  await expect.poll(() => page.getByRole('button', { name: 'Jump to latest' }).count()).toBe(0);
  await page.close();
});

test('messages show when they were said, and days are apart', async () => {
  const turns = ['say old', 'say older'].map((asked) => ({ asked, made: [{ body: said('done') }] }));
  const thread = await seedThread(stage.home, { title: 'Two days', minutesAgo: 24 * 60, turns });
  const page = await browser.signIn(stage.url, { path: `/threads/${thread}` });
  await ask(page, 'say now');
  const newest = page.getByRole('article').last();
  await newest.getByText('now', { exact: true }).waitFor();
  expect(await conversation(page)).toMatch(/Yesterday[^]*say older[^]*Today[^]*say now/);
  const older = page.getByRole('article').first();
  const time = older.locator('time');
  await page.mouse.move(0, 0);
  const isShown = (answer: typeof older) =>
    answer.locator('time').evaluate((at) => at.checkVisibility({ opacityProperty: true }));
  await expect.poll(() => isShown(older)).toBe(false);
  expect(await isShown(newest)).toBe(true);
  await older.hover();
  await expect.poll(() => isShown(older)).toBe(true);
  expect(await time.innerText()).toMatch(/^\d{1,2}:\d\d\s[AP]M$/);
  expect(await time.getAttribute('title')).toContain(String(new Date().getFullYear()));
  await page.close();
});

test('messages that wait say so, and can be edited and withdrawn; Stop stops the answer ahead of them', async () => {
  const page = await browser.signIn(stage.url);
  await ask(page, 'count 900 every 50');
  await page.locator('article').getByText(/\b5\b/).waitFor();
  await ask(page, 'say second');
  await ask(page, 'say third');
  const waiting = page.getByRole('region', { name: 'Queued message' });
  await expect.poll(() => waiting.count()).toBe(2);
  expect(await waiting.allInnerTexts()).toEqual([
    expect.stringMatching(/say second\s+Read after this step/),
    expect.stringMatching(/say third\s+Read after this step/),
  ]);
  expect(await conversation(page)).not.toContain('Sending');

  await page.reload();
  await expect.poll(() => waiting.count()).toBe(2);
  await page.locator('article').getByText(/\b5\b/).waitFor();

  await composer(page).fill('and this');
  await waiting.last().getByRole('button', { name: 'Edit the queued message' }).click();
  await expect.poll(() => composer(page).inputValue()).toBe('say third\nand this');
  await expect.poll(() => waiting.count()).toBe(1);
  await composer(page).fill('say changed');
  await page.keyboard.press('Enter');
  await expect.poll(() => waiting.count()).toBe(2);
  await waiting.first().getByRole('button', { name: 'Withdraw the queued message' }).click();
  await expect.poll(() => waiting.count()).toBe(1);

  await composer(page).fill('');
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await page.getByText('Stopped by you.').waitFor();
  await page.getByRole('article').getByText('changed').waitFor();
  expect(await conversation(page)).not.toMatch(/say second|say third/);
  expect(page.problems).toEqual([]);
  await page.close();
});

test('a file that is dropped beside the composer is attached, and the app stays', async () => {
  const page = await browser.signIn(stage.url);
  const prevented = await page.getByRole('heading', { level: 1 }).evaluate((element) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(['a,b'], 'table.csv', { type: 'text/csv' }));
    const options = { dataTransfer, bubbles: true, cancelable: true };
    return ['dragover', 'drop'].map((type) => !element.dispatchEvent(new DragEvent(type, options)));
  });
  expect(prevented).toEqual([true, true]);
  await expect.poll(() => picked(page).allInnerTexts()).toEqual([expect.stringContaining('table.csv')]);

  await page.goto(`${stage.url}/settings/jobs`);
  await page.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor();
  const elsewhere = await page.getByRole('main').evaluate((element) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(['a'], 'a.txt'));
    return !element.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  });
  expect(elsewhere).toBe(true);
  await page.close();
});

test('a file that no model can read is refused by name, and unknown text files are sent as text', async () => {
  const page = await browser.signIn(stage.url);
  await composer(page).fill('recite');
  const chooser = page.locator('input[type=file]');
  const type = 'application/x-7z-compressed';
  await chooser.setInputFiles({ name: 'plan.7z', mimeType: type, buffer: Buffer.from('7z\xBC\xAF\x00\x00', 'latin1') });
  await page
    .getByRole('alert')
    .getByText("Models can't read plan.7z. Save it as a PDF or as text, and attach that.")
    .waitFor();
  await page.keyboard.press('Enter');
  expect(page.url()).toBe(`${stage.url}/`);
  await page.getByRole('button', { name: 'Remove plan.7z' }).click();
  await chooser.setInputFiles({ name: 'notes.qmd', mimeType: '', buffer: Buffer.from('håp og tro') });
  await expect.poll(() => picked(page).count()).toBe(1);
  await composer(page).press('Enter');
  await page.getByRole('article').getByText('håp og tro').waitFor();
  await page.close();
});

test('the operator sets the policy of a tool, and always is offered only where the policy accepts it', async () => {
  const page = await browser.signIn(stage.url, { path: '/connectors/tools' });
  await page.getByRole('button', { name: /^send_mail/ }).click();
  const drawer = page.getByRole('dialog', { name: 'send_mail' });
  await drawer.getByLabel('Policy for all users').selectOption({ label: 'Asks each time' });
  await page.getByRole('button', { name: /^send_mail.*asks each time/s, includeHidden: true }).waitFor();
  await checkLooks(page, 'policy');
  await page.goto(stage.url);
  await ask(page, 'use send_mail {"to": "ann@example.com", "text": "hi"}');
  await page.getByRole('button', { name: 'Approve once' }).waitFor();
  expect(await page.getByRole('button', { name: 'Always…' }).count()).toBe(0);
  await page.close();
});

test('editing starts at the end of a message, and renaming selects the old title', async () => {
  const page = await browser.signIn(stage.url);
  await ask(page, 'say ready');
  await page.getByRole('article').getByText('ready').waitFor();
  await page.getByText('say ready', { exact: true }).last().hover();
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.keyboard.type('!');
  expect(await page.getByRole('textbox', { name: 'Edit the message' }).inputValue()).toBe('say ready!');
  await page.keyboard.press('Escape');

  const list = page.getByRole('navigation', { name: 'Threads and pages' });
  await list.getByRole('link', { name: 'say ready', exact: true }).hover();
  await page.getByRole('button', { name: 'Actions on say ready' }).click();
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  await page.getByRole('textbox', { name: 'Title of the thread' }).waitFor();
  await page.keyboard.type('Papers');
  await page.keyboard.press('Enter');
  await list.getByRole('link', { name: 'Papers', exact: true }).waitFor();
  await page.close();
});

test('a task has a checkbox and no bullet, and an unknown price is left out', async () => {
  const page = await browser.signIn(stage.url);
  await ask(page, 'say - [x] milk');
  const task = page.getByRole('article').getByRole('listitem');
  await task.getByRole('checkbox').waitFor();
  expect(await task.evaluate((item) => getComputedStyle(item).listStyleType)).toBe('none');
  await page.locator('header').getByRole('button', { name: 'Share' }).waitFor();
  expect(await page.locator('header').getByTitle('What the thread has cost so far').count()).toBe(0);
  await page.close();
});

test('on a phone Enter breaks the line, the header has the title and more, and offline shows', async () => {
  const phone = await openChromium({ width: 390, height: 760, touch: true });
  const page = await phone.signIn(stage.url);
  await composer(page).fill('say one');
  await page.keyboard.press('Enter');
  await page.keyboard.type('two');
  expect(await composer(page).inputValue()).toBe('say one\ntwo');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('article').getByText('one').waitFor();
  const header = page.locator('header');
  await header.getByRole('button', { name: 'say one two' }).waitFor();
  expect(await header.getByText('scripted').count()).toBe(0);
  await phone.context.setOffline(true);
  const offline = page.getByRole('status').filter({ hasText: 'Offline. Messages wait and are sent later.' });
  await offline.waitFor();
  await ask(page, 'say sent when the line is back');
  await page.getByRole('button', { name: 'Send' }).click();
  await offline.getByText('1 waits').waitFor();
  await phone.context.setOffline(false);
  await offline.waitFor({ state: 'detached' });
  await page.getByRole('article').getByText('sent when the line is back').waitFor();
  await header.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'New thread' }).click();
  await page.getByPlaceholder('What should be done?').waitFor();
  await phone.close();
});

test('the search finds what was said, and leads to its place in a long thread', async () => {
  const page = await browser.signIn(stage.url);
  await ask(page, 'say the heliotrope is under the stairs');
  await page.getByRole('article').getByText('under the stairs').waitFor();
  const thread = page.url();
  for (let times = 0; times < 8; times++) {
    await ask(page, `say ${times} ${'more words '.repeat(300)}`);
    await page
      .getByRole('article')
      .getByText(new RegExp(`^${times} more`))
      .waitFor();
  }
  expect(await conversation(page)).not.toContain('heliotrope');

  await page.goto(stage.url);
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('combobox', { name: 'Search' }).fill('heliotrope stair');
  const found = page.getByRole('group', { name: 'Messages' }).getByRole('option');
  await expect.poll(() => found.count()).toBe(2);
  expect(await found.first().locator('mark').allInnerTexts()).toEqual(['heliotrope', 'stairs']);
  await found.first().click();
  await page.getByRole('article').getByText('under the stairs').waitFor();
  expect(page.url()).toContain(thread);
  const marked = () => page.evaluate(() => [...(CSS.highlights.get('found') ?? [])].map(String));
  await expect.poll(marked).toContain('heliotrope');
  await expect.poll(marked).toEqual([]);
  await expect
    .poll(() =>
      page
        .getByRole('article')
        .getByText('under the stairs')
        .evaluate((row) => row.getBoundingClientRect().y),
    )
    .toBeLessThan(500);
  expect(page.problems).toEqual([]);
  await page.close();
});

test('a thread is shared by a link, read without signing in and without running its scripts, and closed again', async () => {
  const page = await browser.signIn(stage.url);
  const hostile =
    'say <img src=x onerror="document.title=1"> [bad](javascript:alert(1)) **bold** $$x^2$$ <script>document.title=2</script>';
  await ask(page, hostile);
  await page
    .getByRole('article')
    .getByTitle(/tokens?$/)
    .waitFor({ state: 'attached' }); // the answer has ended, and is shared with its message
  const link = await share(page, 'say <img');
  await checkLooks(page, 'share');

  const visitor = await browser.open();
  await visitor.goto(link);
  await visitor.locator('.prose').getByText('bold', { exact: true }).waitFor();
  await visitor.locator('.katex').first().waitFor();
  const seen = await visitor.evaluate(() => ({
    origin: self.origin,
    title: document.title,
    scripts: document.querySelectorAll('article script, article img').length,
    links: document.querySelectorAll('article a').length,
  }));
  expect(seen).toEqual({ origin: 'null', title: expect.stringContaining('say'), scripts: 0, links: 0 });
  expect(visitor.problems).toEqual([]);
  await checkLooks(visitor, 'shared');

  await page.goto(`${stage.url}/settings/shared`);
  const shares = page.getByRole('list', { name: 'Shared threads' });
  await shares.getByRole('link', { name: /^say/ }).waitFor();
  await shares.getByRole('button', { name: 'Stop sharing' }).click();
  await page.getByText('No shared threads').waitFor();
  await visitor.reload();
  await visitor.getByRole('alert').getByText('It may have been revoked.').waitFor();
  await Promise.all([page.close(), visitor.close()]);
});

test('a thread is printed as a document without the app around it, also from the dark theme', async () => {
  const page = await browser.signIn(stage.url);
  await page.emulateMedia({ colorScheme: 'dark' });
  await ask(page, `say **Report** ${'A paragraph of words. '.repeat(400)} The last line.`);
  await page.getByRole('article').getByText('The last line.').waitFor();
  await page.getByRole('button', { name: 'Actions on say **Report**' }).click();
  await page.getByRole('menuitem', { name: 'Print or save as PDF' }).click();
  const button = page.getByRole('button', { name: 'Print or save as PDF' });
  await button.waitFor();
  await page.locator('.prose').getByText('The last line.').waitFor();
  expect(await page.getByRole('navigation').count()).toBe(0);
  await checkLooks(page, 'print');
  const pdf = await page.pdf({ format: 'A4' });
  expect(pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length).toBeGreaterThan(1);
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  const paper = await page.evaluate(() => ({
    scheme: getComputedStyle(document.documentElement).colorScheme,
    buttons: [...document.querySelectorAll('button')].filter((each) => each.checkVisibility()).length,
    overflow: getComputedStyle(document.body).overflow,
  }));
  expect(paper).toEqual({ scheme: 'light', buttons: 0, overflow: 'visible' });
  await page.close();
});

test('a temporary thread says what it is, and is in no search; an answer is rated with a reason', async () => {
  const page = await browser.signIn(stage.url);
  await page.getByRole('switch', { name: 'Temporary thread' }).click();
  await page.getByText('It reads and writes no memory').waitFor();
  await ask(page, 'say zeppelin');
  await page.locator('main header').getByText('Temporary', { exact: true }).waitFor();
  await page.getByRole('article').getByText('zeppelin').last().waitFor();

  await page.getByRole('button', { name: 'Bad answer' }).click();
  await page.getByLabel('Reason').fill('Too short.');
  await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await page.getByRole('button', { name: 'Bad answer' }).getAttribute('aria-pressed')).toBe('true');
  await page.goto(`${stage.url}/settings/ratings`);
  await page.getByText('Too short.').waitFor();
  await page.getByText('A thread without a title').waitFor();
  await page.close();
});
