import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WEBHOOK_SECRET } from '../support/service.ts';
import { checkPage, takePicture } from './check-page.ts';
import { collectEnglish } from './collect-english.ts';
import { goWithin } from './go-within.ts';
import { type OpenPage, openChromium } from './open-chromium.ts';
import { seedCrowd } from './seed-crowd.ts';
import { startStage } from './stage.ts';

const LISTS = [
  { route: '/settings/jobs', api: 'jobs', title: 'Jobs', rows: 'Jobs' },
  { route: '/missions', api: 'mission-results', title: 'Missions', rows: 'Results' },
  { route: '/memory', api: 'memory', title: 'Memory', rows: 'Notes' },
  // Not next to the results: the way from page to page waits for another title.
  { route: '/missions/all', api: 'missions', title: 'Missions', rows: 'Missions' },
  { route: '/connectors/tools', api: 'tools', title: 'Tools', rows: 'Tools' },
  { route: '/connectors/skills', api: 'skills', title: 'Skills', rows: 'Skills' },
  { route: '/settings/users', api: 'users', title: 'Users and roles', rows: 'Users' },
  { route: '/settings/channels', api: 'channels', title: 'Channels', rows: 'Channels' },
  { route: '/settings/audit', api: 'audit', title: 'Audit', rows: 'Audit log' },
];
const OTHERS = [
  '/',
  '/connectors',
  '/settings/general',
  '/settings/notifications',
  '/settings/access',
  '/settings/models',
  '/settings/usage',
  '/settings/health',
];

let stage: Awaited<ReturnType<typeof startStage>>;
let browser: Awaited<ReturnType<typeof openChromium>>;
let page: OpenPage;
let thread: string;

beforeAll(async () => {
  [stage, browser] = await Promise.all([startStage({ HTTP_WEBHOOK_SECRET: WEBHOOK_SECRET }), openChromium()]);
  thread = await seedCrowd(stage);
  page = await browser.signIn(stage.url);
});

afterAll(async () => {
  await browser.close();
  await stage.close();
});

const rowsOf = (label: string) => page.getByRole('list', { name: label }).getByRole('listitem');

/** What is wider than the window, by how much. */
const overflowing = (shown: Page) =>
  shown.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll('main, nav, [role=log], [role=dialog]')]
      .filter((element) => element.scrollWidth > element.clientWidth + 1)
      .map((element) => `${element.tagName} ${element.scrollWidth} > ${element.clientWidth}`),
  );

test('no page is wider than the window, large or small, and a message can always be written', async () => {
  const sizes = {
    'at 1024 pixels': { width: 1024, height: 768 },
    'at 200 % of a small window': { width: 640, height: 400 },
    'on a small phone': { width: 320, height: 640 },
  };
  const found: string[] = [];
  for (const route of [...LISTS.map((list) => list.route), ...OTHERS, `/threads/${thread}`]) {
    await goWithin(page, route);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await expect.poll(() => page.locator('.skeleton').count()).toBe(0);
    for (const [name, size] of Object.entries(sizes)) {
      await page.setViewportSize(size);
      found.push(...(await overflowing(page)).map((words) => `${route} ${name}: ${words}`));
    }
  }
  for (const size of Object.values(sizes)) {
    await page.setViewportSize(size);
    const bottomOfComposer = async () => {
      const composer = await page.getByRole('textbox', { name: 'Message' }).boundingBox();
      return composer && composer.y + composer.height;
    };
    await expect.poll(bottomOfComposer).toBeLessThanOrEqual(size.height);
  }
  expect(found).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 800 });
});

test('no page is wider than a phone in German, nor when it is written from right to left, nor shows English words of the service', async () => {
  const english = collectEnglish(page);
  await page.evaluate(() => localStorage.setItem('reborn.language', 'de'));
  await page.setViewportSize({ width: 390, height: 844 });
  await page.reload();
  const found: string[] = [];
  for (const route of [...LISTS.map((list) => list.route), ...OTHERS, `/threads/${thread}`]) {
    await goWithin(page, route);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await expect.poll(() => page.locator('.skeleton').count()).toBe(0);
    found.push(...(await english.shown()).map((words) => `${route} shows: ${words}`));
    const name = route.replace(thread, 'one').replaceAll('/', '-');
    for (const direction of ['ltr', 'rtl']) {
      await page.locator('html').evaluate((html, dir) => html.setAttribute('dir', dir), direction);
      await takePicture(page, `german${name}-${direction}`);
      found.push(...(await overflowing(page)).map((words) => `${route} ${direction}: ${words}`));
    }
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.locator('html').evaluate((html) => html.setAttribute('dir', 'rtl'));
  await takePicture(page, 'german-thread-wide-rtl');
  const sidebar = await page.getByRole('navigation').boundingBox();
  await page.evaluate(() => localStorage.removeItem('reborn.language'));
  expect(sidebar && sidebar.x + sidebar.width).toBe(1280);
  expect(english.received()).toEqual(expect.arrayContaining([expect.stringMatching(/^at \d\d:\d\d, /)]));
  expect(found).toEqual([]);
});

const boxOf = async (of: Locator) => {
  const { x, y, width, height } = (await of.first().boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  return { x: Math.round(x), y: Math.round(y), width: Math.round(width), height: Math.round(height) };
};

test('Ctrl B hides threads and pages, which the browser remembers and a small window does by itself, and opens them on a phone', async () => {
  const threads = page.getByRole('navigation', { name: 'Threads and pages' });
  await page.setViewportSize({ width: 1024, height: 800 });
  await page.goto(`${stage.url}/settings/general`);
  await page.getByRole('navigation', { name: 'Settings' }).waitFor(); // an index is shown also where there is little room
  await page.goto(stage.url);
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
  expect(await threads.isVisible()).toBe(false);
  await page.setViewportSize({ width: 1280, height: 800 });
  await threads.getByRole('link', { name: 'Reborn' }).focus();
  await page.keyboard.press('Control+b');
  await threads.waitFor({ state: 'hidden' });
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('page');
  await page.reload();
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
  expect(await threads.isVisible()).toBe(false);
  await checkPage(page, 'sidebar-hidden');
  await page.getByRole('button', { name: 'Show threads and pages (Ctrl B)' }).click();
  await threads.waitFor();
  await page.setViewportSize({ width: 390, height: 800 });
  await threads.waitFor({ state: 'hidden' });
  await page.keyboard.press('Control+b');
  await threads.waitFor();
  await page.keyboard.press('Control+b');
  await threads.waitFor({ state: 'hidden' });
});

test("the person's words, the answer and what is typed begin at one line, in a column of 704 pixels", async () => {
  const answer = page.getByRole('article').locator('.prose');
  const block = page.locator('.yours');
  const places = async () => {
    const [words, box, said, typed] = await Promise.all([
      boxOf(block.locator('p')),
      boxOf(block),
      boxOf(answer),
      boxOf(page.getByRole('textbox', { name: 'Message' })),
    ]);
    return { words: words.x, answer: said.x, typed: typed.x, hangs: words.x - box.x, column: said.width };
  };
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`${stage.url}/threads/${thread}`);
  await answer.first().waitFor();
  const start = 264 + (1440 - 264 - 704) / 2;
  expect(await places()).toEqual({ words: start, answer: start, typed: start, hangs: 16, column: 704 });
  expect((await boxOf(page.getByRole('navigation'))).width).toBe(264);
  expect((await boxOf(page.locator('main > header'))).height).toBe(52);

  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(places).toEqual({ words: 20, answer: 20, typed: 20, hangs: 12, column: 350 });
});

test('a page of settings has a column of 832 pixels with its padding, and less of that on a phone', async () => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await goWithin(page, '/settings/general');
  const card = () => boxOf(page.locator('main .card'));
  await page.locator('main .card').first().waitFor();
  expect(await card()).toMatchObject({ x: 264 + (1440 - 264 - 832) / 2 + 40, width: 832 - 80 });
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(card).toMatchObject({ x: 16, width: 390 - 32 });
  await page.setViewportSize({ width: 1280, height: 800 });
});

test('long lists are shown a page at a time, and what is further down is found', async () => {
  await page.goto(`${stage.url}/settings/jobs`);
  await expect.poll(() => rowsOf('Jobs').count()).toBe(50);
  await page.getByRole('button', { name: 'Show more' }).click();
  await expect.poll(() => rowsOf('Jobs').count()).toBe(100);

  await page.goto(`${stage.url}/settings/users`);
  await expect.poll(() => rowsOf('Users').count()).toBe(101); // and the operator
  await page.getByLabel('Search the users').fill('Person 119');
  await expect.poll(() => rowsOf('Users').allInnerTexts()).toEqual([expect.stringContaining('Person 119')]);

  await page.goto(`${stage.url}/connectors/skills`);
  await expect.poll(() => rowsOf('Skills').count()).toBe(500);
  await page.getByLabel('Search the skills').fill('skill-499');
  await expect.poll(() => rowsOf('Skills').count()).toBe(1);

  await page.goto(`${stage.url}/memory`);
  await page.getByText('These are the 100 newest. Search for the others.').waitFor();
  await page.getByLabel('Search the notes').fill('marmalade');
  await expect.poll(() => rowsOf('Notes').allInnerTexts()).toEqual([expect.stringContaining('marmalade')]);
});

test('a slow page shows its outline, and a failed one shows an error and a way to continue', async () => {
  await page.emulateMedia({ reducedMotion: 'no-preference' }); // the outline appears by an animation
  for (const { route, api, title, rows } of LISTS) {
    let answer: 'later' | 'never' = 'later';
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const pattern = new RegExp(`/api/${api}(?:\\?.*)?$`);
    await page.route(pattern, async (request) => {
      if (answer === 'never') return request.fulfill({ status: 404, body: '{"error":{"message":"Out of order."}}' });
      await released;
      await request.continue();
    });
    await page.goto(stage.url + route);
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    await page
      .getByRole('main')
      .getByRole('status', { name: /^Loading/ })
      .waitFor();
    release();
    await rowsOf(rows).first().waitFor();

    answer = 'never';
    await page.reload();
    await page.getByRole('main').getByRole('alert').getByText('Out of order.').waitFor();
    await page.unroute(pattern);
    await page.getByRole('button', { name: 'Try again' }).click();
    await rowsOf(rows).first().waitFor();
  }
});

test('a service that fails for a while is reported, and the page recovers by itself', async () => {
  await page.route('**/api/skills', (request) => request.abort());
  await page.goto(`${stage.url}/connectors/skills`);
  await page.getByRole('main').getByRole('alert').getByText('this page tries again by itself').waitFor();
  await page.unroute('**/api/skills');
  await rowsOf('Skills').first().waitFor();
});
