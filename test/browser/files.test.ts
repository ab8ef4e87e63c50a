import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { checkLooks, checkPage } from './check-page.ts';
import { type OpenPage, openChromium } from './open-chromium.ts';
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

const use = (tool: string, given: object) => `use reborn_file_${tool} ${JSON.stringify(given)}`;
const panelOf = (page: Page) => page.getByRole('complementary', { name: 'Files' });
const threadOf = (page: Page) => new URL(page.url()).pathname.split('/').at(-1) ?? '';

/** Sends a message, and waits until the agent has answered it. */
async function tell(page: Page, message: string, result: string): Promise<void> {
  await ask(page, message);
  await page.getByRole('article').getByText(`result: ${result}`).first().waitFor();
}

const put = (thread: string, path: string, body: string | Buffer<ArrayBuffer>) =>
  stage.service.request(`/api/threads/${thread}/files/${encodeURIComponent(path)}`, {
    method: 'PUT',
    body,
    headers: { 'content-type': 'application/octet-stream' },
  });

const PROGRAM = ['import csv', '', 'def load(path):', '    return list(csv.reader(open(path)))', ''];
const REST = Array.from({ length: 30 }, (_, line) => `print(${line})`);

test('a file is attached, written, edited, shown, compared, restored and downloaded', async () => {
  const page = await browser.signIn(stage.url);

  await page.locator('input[type=file]').setInputFiles({
    name: 'costs.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('supplier,"march, kr"\nElvekraft,48616\n"Øst ""Renhold""",14000\n'),
  });
  await tell(page, `${use('list', {})}\nWhat is in it?`, 'costs.csv');
  await tell(page, use('write', { path: 'code/compare.py', text: [...PROGRAM, ...REST].join('\n') }), 'Written');
  const edit = { path: 'code/compare.py', old: 'csv.reader(open(path))', new: 'csv.DictReader(open(path))' };
  await tell(page, use('edit', edit), 'Changed once');
  await tell(page, use('present', { paths: ['code/compare.py', 'costs.csv'] }), 'Shown to the user');

  const cards = page.getByRole('group', { name: 'Files' });
  await cards.getByText(/Code, \d+ B, version 2/).waitFor();
  await cards.getByText(/Table, \d+ B, version 1/).waitFor();
  const panel = panelOf(page);
  await panel.getByRole('button', { name: 'compare.py' }).waitFor(); // it opens by itself, and the person can keep typing
  expect(await focused(page)).toBe('Message');
  await cards.getByRole('button', { name: /^costs\.csv/ }).click();
  await panel.getByRole('columnheader', { name: 'march, kr' }).waitFor();
  await panel.getByRole('cell', { name: 'Øst "Renhold"' }).waitFor();
  await panel.getByText('Came with a message').waitFor();
  await checkLooks(page, 'files-table');
  for (const width of [1024, 320]) {
    await page.setViewportSize({ width, height: 800 });
    await checkPage(page, `files-table-${width}`);
  }
  await page.setViewportSize({ width: 1280, height: 800 });

  await panel.getByRole('button', { name: 'costs.csv' }).click();
  await page.getByRole('menuitem', { name: 'code/compare.py' }).click();
  await panel.getByText('Version 2 of 2').waitFor();
  await panel.getByText('Made by a step of the agent').waitFor();
  await panel.getByText('csv.DictReader(open(path))').first().waitFor();
  const find = panel.getByRole('searchbox', { name: 'Search in the file' });
  await find.fill('PRINT(');
  await panel.getByText('1 of 30').waitFor();
  await find.press('Shift+Enter');
  await panel.getByText('30 of 30').waitFor();
  await panel.getByRole('button', { name: 'Wrap lines' }).click();
  await panel.getByRole('button', { name: 'Wrap lines', pressed: true }).waitFor();
  await checkLooks(page, 'files-code');
  await find.press('Escape'); // the panel stays
  expect(await find.inputValue()).toBe('');
  await panel.getByRole('tab', { name: /Changes/ }).click();
  await panel.getByText('lines as before').waitFor();
  const changed = panel.getByRole('row').filter({ hasText: 'Reader' });
  expect((await changed.allInnerTexts()).map((row) => row.replaceAll(/\s+/g, ' ').trim())).toEqual([
    '4 − removed return list(csv.reader(open(path)))',
    '4 + added return list(csv.DictReader(open(path)))',
  ]);
  await checkLooks(page, 'files-changes');
  await panel.getByRole('button', { name: 'Full screen' }).click();
  const pair = panel.getByRole('row').filter({ hasText: 'csv.reader' });
  await pair.getByText('csv.DictReader').waitFor(); // in two columns, both are in one row
  await checkPage(page, 'files-columns');
  expect(await page.getByRole('textbox', { name: 'Message' }).count()).toBe(0);
  await panel.getByRole('button', { name: 'Full screen' }).click();

  await panel.getByRole('button', { name: 'Restore version 1' }).click();
  await panel.getByText('Version 3 of 3').waitFor();
  await panel.getByRole('tab', { name: 'Code' }).click();
  await panel.getByText('Restored by you').waitFor();
  await panel.getByText('csv.reader(open(path))').first().waitFor();
  expect(await save(page, () => panel.getByRole('button', { name: 'Download', exact: true }).click())).toEqual({
    name: 'compare.py',
    text: [...PROGRAM, ...REST].join('\n'),
  });
  await panel.getByRole('button', { name: 'More' }).click();
  const archive = await save(page, () => page.getByRole('menuitem', { name: 'Download all' }).click());
  expect(archive).toMatchObject({ name: 'files.zip', text: expect.stringContaining('code/compare.py') });

  // The page follows what the agent does meanwhile.
  await tell(
    page,
    use('write', { path: 'code/compare.py', text: 'print("new")\n' }),
    'Written: code/compare.py, 1 line',
  );
  await panel.getByText('Version 4 of 4').waitFor();
  await panel.getByText('print("new")').first().waitFor();
  await panel.getByRole('button', { name: 'Close' }).click();
  await tell(page, use('present', { paths: ['costs.csv'] }), 'Shown to the user: costs.csv');
  expect(await panel.count()).toBe(0); // the person has closed it
  expect(page.problems).toEqual([]);
  await page.close();
});

/** What the browser saves when the person does this. */
async function save(page: Page, act: () => Promise<void>): Promise<{ readonly name: string; readonly text: string }> {
  const [download] = await Promise.all([page.waitForEvent('download'), act()]);
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'latin1') };
}

test('the panel opens by itself, also if the first message of a thread is answered before its page is there', async () => {
  const body = JSON.stringify({ name: 'House' });
  const headers = { 'content-type': 'application/json' };
  const made = await stage.service.request('/api/projects', { method: 'POST', body, headers });
  const project = (await made.json()) as { id: string };
  for (const path of ['/', `/projects/${project.id}`]) {
    const page = await browser.signIn(stage.url, { path });
    await page.route('**/api/threads/*/items?*', async (route) => {
      const thread = new URL(route.request().url()).pathname.replace('/items', '');
      await waitFor('the answer', async () => {
        const found = await stage.service.request(thread);
        return ((await found.json()) as { status: string }).status === 'idle';
      });
      await route.continue();
    });
    await tell(page, `${use('write', { path: 'a.txt', text: 'x' })}\n${use('present', { paths: ['a.txt'] })}`, 'Shown');
    await panelOf(page).getByRole('button', { name: 'a.txt' }).waitFor();
    expect(await focused(page)).toBe('Message');
    await page.close();
  }
});

test('a phone shows the panel over the thread; files are added, deleted and brought back', async () => {
  const page = await browser.signIn(stage.url);
  await page.setViewportSize({ width: 390, height: 800 });
  await ask(page, 'say hello');
  await page.getByRole('article').getByText('hello').waitFor();
  await page.getByRole('button', { name: 'Files (Alt .)' }).click();
  const panel = panelOf(page);
  await panel.getByRole('heading', { name: 'No files yet' }).waitFor();
  await checkPage(page, 'files-none');
  expect(await panel.boundingBox()).toMatchObject({ x: 0, y: 0, width: 390, height: 800 });
  expect(await page.getByRole('textbox', { name: 'Message' }).count()).toBe(0);

  await drop(page, 'aside', 'own.md', '# Plan\n\nIt is *mine*.');
  await panel.getByRole('switch', { name: 'I wrote this' }).check();
  await panel.getByRole('button', { name: 'Upload' }).click();
  await panel.getByRole('tabpanel').getByRole('heading', { name: 'Plan' }).waitFor();
  await panel.getByText('Changed by you').waitFor();
  await panel
    .locator('input[type=file]')
    .setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('a') });
  await panel.getByRole('button', { name: 'Upload' }).click();
  const shown = panel.getByRole('button', { name: 'a.txt', exact: true }); // not "Remove a.txt", while it is uploaded
  await shown.waitFor();

  const remove = async () => {
    await panel.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await panel.getByText('a.txt is deleted.').waitFor();
    await panel.getByRole('button', { name: 'own.md', exact: true }).waitFor();
  };
  await remove();
  await panel.getByRole('button', { name: 'Undo' }).click();
  await shown.waitFor();
  expect(await namesOf(threadOf(page))).toEqual(['a.txt', 'own.md']);
  await remove();
  expect(await namesOf(threadOf(page))).toEqual(['own.md']);
  await checkPage(page, 'files-deleted');

  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
  await expect.poll(() => focused(page)).toBe('Files (Alt .)');
  expect(page.problems).toEqual([]);
  await page.close();
});

test('keys open, widen and close the panel, which remembers its file and its width', async () => {
  const page = await browser.signIn(stage.url);
  await ask(page, 'say hello');
  await page.getByRole('article').getByText('hello').waitFor();
  await put(threadOf(page), 'b.txt', 'b');
  await put(threadOf(page), 'a.txt', 'a');
  await page.keyboard.press('Alt+.');
  const panel = panelOf(page);
  await panel.getByRole('button', { name: 'a.txt' }).click();
  await page.getByRole('menuitem', { name: 'b.txt' }).click();
  const edge = panel.getByRole('separator', { name: 'Width of the panel' });
  await edge.press('ArrowRight');
  await expect.poll(async () => (await panel.boundingBox())?.width).toBe(544);
  await edge.hover();
  await page.mouse.down();
  await page.mouse.move(100, 300);
  await page.mouse.up();
  const most = (await page.locator('#page').boundingBox())?.width ?? 0;
  expect((await panel.boundingBox())?.width).toBeCloseTo(most * 0.7, -1);

  await page.getByRole('textbox', { name: 'Message' }).focus();
  await page.keyboard.press('Alt+.');
  await panel.waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('article').getByText('hello').waitFor();
  await page.keyboard.press('Alt+.');
  await panel.getByRole('button', { name: 'b.txt' }).waitFor();
  expect((await panel.boundingBox())?.width).toBeCloseTo(most * 0.7, -1);
  expect(page.problems).toEqual([]);
  await page.close();
});

test('pictures are shown above their card, many files fold, and a deleted one can be restored', async () => {
  const page = await browser.signIn(stage.url);
  await ask(page, 'say hello');
  await page.getByRole('article').getByText('hello').waitFor();
  const names = ['1.txt', '2.txt', '3.txt', '4.txt', `${'long-'.repeat(30)}5.pdf`];
  for (const name of names) await put(threadOf(page), name, name.endsWith('pdf') ? '%PDF-1.7\n' : name);
  await put(threadOf(page), 'dot.png', Buffer.from(PIXEL, 'base64'));
  await put(threadOf(page), 'paper.pdf', Buffer.from('%PDF-1.7\n\0'));
  await tell(page, use('present', { paths: ['./dot.png', 'paper.pdf'] }), 'Shown to the user: dot.png');
  const cards = page.getByRole('group', { name: 'Files' }).first();
  await cards.getByRole('img', { name: 'Open dot.png' }).waitFor();
  expect(await save(page, () => cards.getByRole('button', { name: 'Download paper.pdf' }).click())).toEqual({
    name: 'paper.pdf',
    text: '%PDF-1.7\n\0',
  });
  await cards.getByRole('button', { name: /^dot\.png/ }).click();
  const panel = panelOf(page);
  await panel.getByRole('img', { name: 'dot.png' }).waitFor();
  await panel.getByRole('button', { name: '100 %' }).click();
  await checkLooks(page, 'files-picture');
  // A document can run scripts in a browser's viewer, so it is never opened here.
  await cards.getByRole('button', { name: /^paper\.pdf/ }).click();
  await panel.getByText('This file is not shown here. Download it to open it.').waitFor();
  expect(await page.locator('iframe, embed, object').count()).toBe(0);

  await stage.service.request(`/api/threads/${threadOf(page)}/files/paper.pdf`, { method: 'DELETE' });
  await tell(page, use('present', { paths: names }), 'Shown to the user: 1.txt');
  await cards.getByText('Deleted, just now').waitFor();
  await cards.getByRole('button', { name: 'Restore', exact: true }).click();
  await cards.getByText('PDF').waitFor();
  const many = page.getByRole('group', { name: 'Files' }).nth(1);
  expect(await many.getByRole('listitem').count()).toBe(0);
  await many.getByRole('button', { name: '5 files' }).click();
  expect(await many.getByRole('listitem').count()).toBe(5);
  await many.getByText('No readable text · PDF').waitFor();
  await page.keyboard.press('Escape');
  for (const width of [1280, 390, 320]) {
    await page.setViewportSize({ width, height: 800 });
    await checkPage(page, `files-cards-${width}`);
    expect({ width, cards: await boxesOf(page.getByRole('group', { name: 'Files' })) }).toEqual({
      width,
      cards: Array(7).fill('56 high, within'),
    });
  }
  expect(page.problems).toEqual([]);
  await page.close();
});

/** The height of each card, and whether it stays within its list. */
const boxesOf = (cards: Locator) =>
  cards.getByRole('listitem').evaluateAll((items) =>
    items.map((item) => {
      const card = item.querySelector('.card')?.getBoundingClientRect();
      const most = item.closest('[role=group]')?.getBoundingClientRect().right ?? 0;
      return `${card?.height} high, ${card && card.right <= most ? 'within' : 'too wide'}`;
    }),
  );

test('nothing in a file or its name runs, or reaches another host', async () => {
  const page = await browser.signIn(stage.url);
  let connections = 0;
  const host = createServer((socket) => {
    connections++;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(host, 'listening');
  page.on('dialog', (dialog) => {
    page.problems.push(dialog.message());
    void dialog.dismiss();
  });
  await ask(page, 'say hello');
  await page.getByRole('article').getByText('hello').waitFor();
  const away = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
  const script = `parent.hit = 1; top.hit = 1; self.hit = 1; alert(1); fetch('${away}/script')`;
  const name = `"><img src=x onerror="hit=1">.md`;
  await put(
    threadOf(page),
    'page.html',
    `<link rel="stylesheet" href="${away}/style"><link rel="preconnect" href="${away}">
     <meta http-equiv="refresh" content="0;url=${away}/refresh"><base href="${away}">
     <style>p { color: rgb(1, 2, 3); background: url(${away}/background) } @import "${away}/import";</style>
     <p id="text">Still here</p><script>${script}; document.body.textContent = 'gone'</script>
     <img src="${away}/image" onerror="${script}"><iframe src="${away}/frame"></iframe>
     <svg onload="${script}"></svg><a id="out" href="${away}/link" ping="${away}/ping">out</a>
     <form action="${away}/form"><button id="send">send</button></form><video src="${away}/video" autoplay></video>`,
  );
  await put(
    threadOf(page),
    'drawing.svg',
    `<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8" onload="${script}"><script>${script}</script>
     <image href="${away}/drawing" width="4" height="4"/><foreignObject><iframe src="${away}/foreign"/></foreignObject></svg>`,
  );
  await put(
    threadOf(page),
    name,
    `<script>${script}</script>\n\n![picture](${away}/markdown) [link](javascript:hit=1)\n`,
  );
  await tell(page, use('present', { paths: ['page.html', 'drawing.svg', name] }), 'Shown to the user');

  const cards = page.getByRole('group', { name: 'Files' });
  const panel = panelOf(page);
  await cards.getByRole('button', { name: /^page\.html/ }).click();
  const frame = panel.frameLocator('iframe');
  await frame.getByText('Still here').waitFor();
  expect(await frame.locator('#text').evaluate((text) => getComputedStyle(text).color)).toBe('rgb(1, 2, 3)');
  await frame.locator('#out').click();
  await frame.locator('#send').click();
  expect(await frame.locator('body').evaluate(() => 'hit' in self)).toBe(false);

  await cards.getByRole('button', { name: /^drawing\.svg/ }).click();
  const drawing = panel.getByRole('img', { name: 'drawing.svg' });
  await expect.poll(() => drawing.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(8);

  await cards.getByText(name).click();
  await panel.getByRole('button', { name }).waitFor();
  await panel.getByText('[image: picture]').waitFor();
  expect(await page.locator('img[src=x]').count()).toBe(0);

  expect(await page.evaluate(() => 'hit' in self)).toBe(false);
  expect(connections).toBe(0);
  expect(page.problems.filter((problem) => !problem.includes('Content Security Policy'))).toEqual([]);
  await page.close();
  host.close();
});

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const focused = (page: OpenPage) => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));

async function namesOf(thread: string): Promise<string[]> {
  const listed = await stage.service.request(`/api/threads/${thread}/files`);
  return ((await listed.json()) as { files: { path: string }[] }).files.map(({ path }) => path);
}

/** Drops a file on an element, as from the desktop. */
async function drop(page: Page, selector: string, name: string, text: string): Promise<void> {
  const dataTransfer = await page.evaluateHandle(
    ([given = '', content = '']) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([content], given));
      return transfer;
    },
    [name, text],
  );
  for (const type of ['dragover', 'drop']) await page.dispatchEvent(selector, type, { dataTransfer });
}
