import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { checkPage, takePicture } from './check-page.ts';
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
  const made = await stage.service.request('/api/sign-in-links', { method: 'POST', body: '{}' });
  const page = await browser.open();
  await page.goto(((await made.json()) as { url: string }).url);
  await page.getByRole('button', { name: 'Sign in with this link' }).click();
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
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
  const told = page.getByRole('status').getByText('The agent has answered.');
  expect(await told.count()).toBe(0);
  await page
    .locator('article[aria-busy="false"]')
    .getByText(/\b59\b/)
    .waitFor();
  expect(await countedIn(page)).toEqual(Array.from({ length: 60 }, (_, index) => index));
  await told.waitFor();
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

test('two tabs show the same thread, no matter which tab sends the message', async () => {
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
  await expect.poll(async () => [await conversation(one), await conversation(other)]).toSatisfy(([a, b]) => a === b);
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
  const alert = page.getByRole('alert').filter({ hasText: '400' });
  await alert.waitFor();
  stage.model.seen.length = 0;
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(() => stage.model.seen.length).toBeGreaterThan(0);
  await expect.poll(() => page.getByRole('log').getByText('break 400', { exact: true }).count()).toBe(1);
  await expect.poll(() => alert.count()).toBe(1);
  expect(await page.getByText('1 / 2').count()).toBe(0);
  await page.close();
});

test('a message is edited and answered again in place, and arrows lead to every version, in all windows', async () => {
  const page = await browser.signIn(stage.url);
  const other = await browser.open();
  await ask(page, 'say north');
  await page.getByRole('article').getByText('north').waitFor();
  await ask(page, 'say east');
  await page.getByRole('article').getByText('east').waitFor();
  await ask(page, 'say last');
  await page.getByRole('article').getByText('last').waitFor();
  await other.goto(page.url());
  await other.getByRole('article').getByText('last').waitFor();

  await page.getByText('say east', { exact: true }).hover();
  await page.getByRole('button', { name: 'Edit', exact: true }).nth(1).click();
  await page.getByRole('textbox', { name: 'Edit the message' }).fill('say west');
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 800 });
    await takePicture(page, `versions-edit-${width}`);
  }
  await page.setViewportSize({ width: 1440, height: 800 });
  await page.getByRole('button', { name: 'Save and send' }).click();
  for (const window of [page, other]) {
    await window.getByRole('article').getByText('west').waitFor();
    await expect.poll(() => conversation(window)).not.toMatch(/east|last/);
    expect(await conversation(window)).toContain('north');
  }

  await page.getByRole('article').getByText('west').hover();
  await page.getByRole('button', { name: 'Answer again' }).last().click();
  for (const window of [page, other]) await window.getByRole('group', { name: 'Answers' }).getByText('2 / 2').waitFor();
  for (const scheme of ['light', 'dark'] as const)
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme: scheme });
      await page.locator(`html[data-theme=${scheme}]`).waitFor();
      await checkPage(page, `versions-${scheme}-${width}`);
    }

  await other.getByText('say west', { exact: true }).hover();
  await other.getByRole('button', { name: 'Previous version' }).click();
  for (const window of [page, other]) {
    await window.getByRole('article').getByText('last').waitFor();
    await window.getByRole('group', { name: 'Versions of this message' }).getByText('1 / 2').waitFor();
    await expect.poll(() => conversation(window)).not.toContain('west');
  }
  await page.reload();
  await page.getByText('say east', { exact: true }).hover();
  await page.getByRole('button', { name: 'Next version' }).click();
  await page.getByRole('group', { name: 'Answers' }).getByText('2 / 2').waitFor();
  expect([...page.problems, ...other.problems]).toEqual([]);
  await Promise.all([page.close(), other.close()]);
});

test('a message is edited, and its versions are walked, by keyboard alone', async () => {
  const page = await browser.signIn(stage.url);
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
  await ask(page, 'say one');
  const edit = page.getByRole('textbox', { name: 'Edit the message' });
  const open = async () => {
    await page.getByRole('button', { name: 'Answer again' }).waitFor();
    await page.getByRole('button', { name: 'Edit', exact: true }).press('Enter');
    await edit.waitFor();
  };
  await open();
  await edit.press('Escape');
  await expect.poll(focused).toBe('Edit');
  for (const words of ['two', 'three']) {
    await open();
    await edit.fill(`say ${words}`);
    await edit.press('Control+Enter');
    await page.getByRole('article').getByText(words, { exact: true }).waitFor();
  }
  await page.getByRole('button', { name: 'Previous version' }).press('Enter');
  await page.getByText('2 / 3').waitFor();
  await expect.poll(focused).toBe('Previous version');
  await page.keyboard.press('Enter');
  await page.getByText('1 / 3').waitFor();
  await expect.poll(focused).toBe('Next version');
  await page.close();
});

test('a message can be sent as a new thread instead, with what came before it', async () => {
  const page = await browser.signIn(stage.url);
  await ask(page, 'say first');
  await page.getByRole('article').getByText('first').waitFor();
  await ask(page, 'say second');
  await page.getByRole('article').getByText('second').waitFor();
  const before = page.url();
  await page.getByText('say second', { exact: true }).hover();
  await page.getByRole('button', { name: 'Edit', exact: true }).last().click();
  await page.getByRole('textbox', { name: 'Edit the message' }).fill('say changed');
  await page.getByRole('button', { name: 'Send as a new thread instead' }).click();
  await page.getByRole('article').getByText('changed').waitFor();
  expect(page.url()).not.toBe(before);
  const shown = await conversation(page);
  expect(shown).toContain('first');
  expect(shown).not.toContain('second');
  await page.close();
});

test('an answer leads to a branch that ends with it, and to a note', async () => {
  const page = await browser.signIn(stage.url);
  for (const word of ['first', 'second']) {
    await ask(page, `say the ${word} answer`);
    await page.getByRole('article').getByText(`the ${word} answer`).waitFor();
  }
  const thread = page.url();
  const choose = async (entry: string) => {
    await page.getByRole('article').first().hover();
    await page.getByRole('button', { name: 'More about this answer' }).first().click();
    await page.getByRole('menuitem', { name: entry }).click();
  };
  await choose('Save to memory');
  const form = page.getByRole('dialog', { name: 'Write a note' });
  expect(await form.getByLabel('Text').inputValue()).toBe('the first answer');
  await form.getByLabel('Path').fill('answers/first');
  await form.getByRole('button', { name: 'Save note' }).click();
  await page.getByRole('status').getByText('Saved as the note “answers/first”.').waitFor();
  await choose('Save to memory');
  await form.getByLabel('Path').fill('answers/first');
  await form.getByRole('button', { name: 'Save note' }).click();
  await form.getByRole('alert').getByText('There is a note with this path.').waitFor();
  await page.keyboard.press('Escape');

  await choose('Branch from here');
  await expect.poll(() => page.url()).not.toBe(thread);
  await page.getByRole('article').getByText('the first answer').waitFor();
  expect(await page.getByRole('article').count()).toBe(1);
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

test('messages that could not be sent yet outlive the page, and are sent in order', async () => {
  await setWhenBusy('queue'); // each has an answer, also if it comes while the one before is at work
  onTestFinished(() => setWhenBusy('steer'));
  const page = await browser.signIn(stage.url);
  await ask(page, 'say begun');
  await page.getByRole('article').getByText('begun').waitFor();
  await page.route('**/api/chat/send', (route) => route.abort());
  for (const words of ['say one', 'say two', 'say three']) await ask(page, words);
  const sending = page.getByText('Sending', { exact: true });
  await expect.poll(() => sending.count()).toBe(3);
  await page.reload();
  await expect.poll(() => sending.count()).toBe(3);
  expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('');
  await page.unroute('**/api/chat/send');
  await page.getByRole('article').getByText('three').waitFor();
  await expect.poll(() => sending.count()).toBe(0);
  expect((await conversation(page)).match(/\b(one|two|three)\b/g)).toEqual([
    'one',
    'one',
    'two',
    'two',
    'three',
    'three',
  ]);
  await page.close();
});

test('the title of a thread is a menu, F2 renames it, and its link can be copied', async () => {
  const page = await browser.signIn(stage.url);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await ask(page, 'say title');
  await page.getByRole('article').getByText('title').waitFor();
  const header = page.locator('header');
  await header.getByRole('button', { name: 'say title' }).click();
  expect((await page.getByRole('menuitem').allInnerTexts()).map((words) => words.split('\n')[0])).toEqual([
    'Rename',
    'Pin',
    'Move to a project',
    'Copy link',
    'Share',
    'Export as Markdown',
    'Export as JSON',
    'Print or save as PDF',
    'Summarise earlier messages',
    'Inspector',
    'Archive',
    'Delete',
  ]);
  await page.getByRole('menuitem', { name: 'Copy link' }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(page.url());
  await page.getByRole('status').getByText('The link is copied.').waitFor();
  await header.getByRole('button', { name: 'say title' }).click();
  await page.getByRole('menuitem', { name: 'Summarise earlier messages' }).click();
  await page.getByRole('status').getByText('There is too little to summarise').waitFor();
  await page.keyboard.press('F2');
  await page.getByRole('textbox', { name: 'Title of the thread' }).fill('Renamed');
  await page.keyboard.press('Enter');
  await header.getByRole('heading', { name: 'Renamed' }).waitFor();
  await page.close();
});

test('a thread can be renamed, pinned, exported, archived and deleted', async () => {
  const page = await browser.signIn(stage.url);
  await ask(page, 'say sorted');
  await page.getByRole('article').getByText('sorted').waitFor();
  const id = new URL(page.url()).pathname.split('/').at(-1);
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
  expect((await download).suggestedFilename()).toBe('papers.md');

  await choose('Papers', 'Archive');
  await row.getByRole('link', { name: 'Papers' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await row.getByRole('link', { name: 'Papers' }).waitFor();
  await choose('Papers', 'Archive');
  await row.getByRole('link', { name: 'Papers' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Choose and select threads' }).first().click();
  await page.getByRole('menuitem', { name: 'Show the archive' }).click();
  await row.getByRole('link', { name: 'Papers' }).waitFor();
  await choose('Papers', 'Delete');
  await row.getByRole('link', { name: 'Papers' }).waitFor({ state: 'detached' });
  await page.waitForURL(`${stage.url}/`);
  await page.getByRole('button', { name: 'Undo' }).click();
  await row.getByRole('link', { name: 'Papers' }).waitFor();
  await choose('Papers', 'Delete');
  await row.getByRole('link', { name: 'Papers' }).waitFor({ state: 'detached' });
  await page.reload(); // it can't be brought back any more
  await expect.poll(async () => (await stage.service.request(`/api/threads/${id}`)).status).toBe(404);
  await page.close();
});

test('attachments that are chosen, pasted and dropped go along, and are shown from the service', async () => {
  const page = await browser.signIn(stage.url);
  const composer = page.getByRole('textbox', { name: 'Message' });
  await composer.fill('say seen');
  await page.locator('input[type=file]').setInputFiles({ name: 'chosen.png', mimeType: 'image/png', buffer: DOT });
  await give(page, 'paste', 'pasted.png');
  await give(page, 'drop', 'dropped.png');
  const picked = page.getByRole('list', { name: 'Attachments' }).getByRole('listitem');
  await expect.poll(() => picked.count()).toBe(3);
  await page.getByRole('button', { name: 'Remove chosen.png' }).click();
  expect(await picked.allInnerTexts()).toEqual([
    expect.stringContaining('pasted.png'),
    expect.stringContaining('dropped.png'),
  ]);
  await composer.press('Enter');
  const images = page.getByRole('img', { name: 'Attached' });
  await expect
    .poll(() => images.evaluateAll((all) => all.map((image) => (image as HTMLImageElement).naturalWidth)))
    .toEqual([1, 1]);
  await page.close();
});

test('a file with a long name stays inside its message', async () => {
  const page = await browser.signIn(stage.url);
  await page.getByRole('textbox', { name: 'Message' }).fill('say read');
  const name = `${'long'.repeat(40)}.txt`;
  await page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from('a') });
  await page.getByRole('textbox', { name: 'Message' }).press('Enter');
  const file = page.locator('.yours').getByRole('button', { name });
  await file.waitFor();
  await page.setViewportSize({ width: 320, height: 640 });
  const end = async () => ((await file.boundingBox())?.x ?? 0) + ((await file.boundingBox())?.width ?? 0);
  await expect.poll(end).toBeLessThanOrEqual(320);
  await page.close();
});

test('what is too much is refused before it is sent, and can be taken away', async () => {
  const page = await browser.signIn(stage.url);
  await page.getByRole('textbox', { name: 'Message' }).fill('say never');
  const many = Array.from({ length: 11 }, (_, n) => ({ name: `${n}.png`, mimeType: 'image/png', buffer: DOT }));
  await page.locator('input[type=file]').setInputFiles(many);
  await page.getByRole('alert').getByText('A message may have 10 attachments. Take some away.').waitFor();
  await page.getByRole('textbox', { name: 'Message' }).press('Enter');
  expect(page.url()).toBe(`${stage.url}/`);
  await page.getByRole('button', { name: 'Remove 3.png' }).click();
  await page.getByRole('alert').waitFor({ state: 'detached' });
  await page.getByRole('textbox', { name: 'Message' }).fill('');
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
  await page.getByRole('option', { name: 'say by hand' }).first().waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('article').getByText('and again').waitFor();
  expect(await conversation(page)).toContain('say by hand');
  await page.close();
});

/** A file from the clipboard or another window, as the browser hands it over. */
async function give(page: Page, by: 'paste' | 'drop', name: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).evaluate(
    (element, { type, file, bytes }) => {
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.from(bytes)], file, { type: 'image/png' }));
      const event =
        type === 'paste'
          ? new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
          : new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true });
      element.dispatchEvent(event);
    },
    { type: by, file: name, bytes: [...DOT] },
  );
}

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('combobox');
}

const DOT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

async function setWhenBusy(how: 'steer' | 'queue'): Promise<void> {
  const body = JSON.stringify({ when_busy: how });
  expect((await stage.service.request('/api/me', { method: 'PATCH', body })).status).toBe(200);
}
