import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openChromium } from './open-chromium.ts';
import { said, seedThread } from './seed-thread.ts';
import { startStage } from './stage.ts';

const DIST = path.resolve('web/dist');
const MOST_BYTES = 110_000;

let stage: Awaited<ReturnType<typeof startStage>>;
let browser: Awaited<ReturnType<typeof openChromium>>;

beforeAll(async () => {
  [stage, browser] = await Promise.all([startStage(), openChromium()]);
});

afterAll(async () => {
  await browser.close();
  await stage.close();
});

type Chunk = { file: string; isEntry?: boolean; imports?: string[] };

test('the entry bundle has at most 110 kB', () => {
  const manifest = JSON.parse(readFileSync(path.join(DIST, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>;
  const needed = new Set<string>();
  const add = (key: string) => {
    const chunk = manifest[key];
    if (!chunk || needed.has(chunk.file)) return;
    needed.add(chunk.file);
    for (const imported of chunk.imports ?? []) add(imported);
  };
  for (const [key, chunk] of Object.entries(manifest)) if (chunk.isEntry) add(key);
  const bytes = [...needed].reduce((total, file) => total + gzipSync(readFileSync(path.join(DIST, file))).length, 0);
  console.info(`Entry bundle: ${bytes} bytes (gzip), ${needed.size} files`);
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
});

test('the chat is usable soon, also on a slow machine', async () => {
  const page = await browser.signIn(stage.url);
  const session = await browser.context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  await page.goto(stage.url);
  await page.getByRole('textbox', { name: 'Message' }).fill('now');
  const usable = await page.evaluate(() => performance.now());
  console.info(`Usable chat with the CPU slowed 4 times: ${Math.round(usable)} ms`);
  expect(usable).toBeLessThan(20_000);
  await page.close();
});

test('a thread of 2,000 messages opens at its end, scrolls to its beginning, and holds few rows at a time', async () => {
  const turns = Array.from({ length: 1000 }, (_, index) => ({
    asked: `question ${index}`,
    made: [
      { body: said(`answer **${index}**\n\n- one\n- two\n\n${'Some words to fill the line. '.repeat(index % 20)}`) },
    ],
  }));
  const threadId = await seedThread(stage.home, { title: 'Long', turns });
  const page = await browser.signIn(stage.url);
  await page.addInitScript(() => {
    const tasks: number[] = [];
    Object.assign(globalThis, { tasks });
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
      type: 'longtask',
      buffered: true,
    });
  });
  await page.goto(`${stage.url}/threads/${threadId}`);
  await page.getByText('question 999', { exact: true }).waitFor();
  const opened = await longestTask(page);

  const log = page.getByRole('log');
  const first = page.getByText('question 0', { exact: true });
  await expect
    .poll(
      async () => {
        await log.evaluate((element) => element.scrollTo({ top: 0 }));
        return first.count();
      },
      { timeout: 40_000, interval: 100 },
    )
    .toBe(1);
  console.info(`2,000 messages: longest task ${opened} ms to open, ${await longestTask(page)} ms with scrolling`);
  expect(await log.locator('[data-index]').count()).toBeLessThan(60);
  await page.close();
});

const longestTask = (page: import('playwright-core').Page) =>
  page.evaluate(() => Math.round(Math.max(0, ...(globalThis as unknown as { tasks: number[] }).tasks)));
