import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openChromium } from './open-chromium.ts';
import { said, seedThread } from './seed-thread.ts';
import { startStage } from './stage.ts';
import { ask } from './talk.ts';

const DIST = path.resolve('web/dist');
const MOST_BYTES = 110_000;
const MOST_FILES = 40;

let stage: Awaited<ReturnType<typeof startStage>>;
let browser: Awaited<ReturnType<typeof openChromium>>;

beforeAll(async () => {
  [stage, browser] = await Promise.all([startStage(), openChromium({ motion: true })]);
});

afterAll(async () => {
  await browser.close();
  await stage.close();
});

test('the entry bundle has at most 110 kB, and the first page is few files', () => {
  const entry = filesOf('index.html');
  const bytes = [...entry].reduce((total, file) => total + gzipSync(readFileSync(path.join(DIST, file))).length, 0);
  const first = filesOf('index.html', 'src/app/entrance.tsx', 'src/chat/chat-page.tsx');
  console.info(`Entry bundle: ${bytes} bytes (gzip), ${entry.size} files; first page: ${first.size} files`);
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
  expect(first.size).toBeLessThanOrEqual(MOST_FILES);
});

/** The files of these sources in the build, and of all that they import. */
function filesOf(...sources: readonly string[]): Set<string> {
  type Chunk = { file: string; imports?: string[] };
  const manifest = JSON.parse(readFileSync(path.join(DIST, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>;
  const needed = new Set(sources);
  for (const source of needed) for (const imported of manifest[source]?.imports ?? []) needed.add(imported);
  return new Set([...needed].map((source) => manifest[source]?.file ?? source));
}

test('the chat is usable soon, also on a slow machine', async () => {
  const page = await browser.signIn(stage.url);
  const session = await browser.context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  await page.goto(stage.url);
  await page.getByRole('textbox', { name: 'Message' }).fill('now');
  const usable = await page.evaluate(() => performance.now());
  console.info(`Usable chat with the CPU slowed 4 times: ${Math.round(usable)} ms`);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 1 }); // other pages share the process
  expect(usable).toBeLessThan(20_000);
  await page.close();
});

/** Words in every answer, a formula in every third, code in every fifth, a diagram in every tenth. */
function answerOf(index: number): string {
  const parts = [`answer **${index}**\n\n- one\n- two`, 'Some words to fill the line. '.repeat(index % 20)];
  if (index % 3 === 0) parts.push(`\\[ \\sum_{k=0}^{${index}} \\frac{x^k}{k!} = \\sqrt{e^{x}} \\] and $x_${index}^2$`);
  if (index % 5 === 0) parts.push(`\`\`\`ts\nconst answer: number = ${index};\nexport { answer };\n\`\`\``);
  if (index % 10 === 0) parts.push(`\`\`\`mermaid\nflowchart LR\n  a${index} --> b --> c\n\`\`\``);
  return parts.join('\n\n');
}

test('a thread of 2,000 messages with formulas, code and diagrams opens at its end, scrolls to its beginning, and holds few rows at a time', async () => {
  const turns = Array.from({ length: 1000 }, (_, index) => ({
    asked: `question ${index}`,
    made: [{ body: said(answerOf(index)) }],
  }));
  const threadId = await seedThread(stage.home, { title: 'Long', turns, minutesAgo: 25 * 60 }); // not of today, so that days are named
  const page = await browser.signIn(stage.url);
  await countTasks(page);
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

test('an answer of 200 tokens a second keeps the page free', async () => {
  const page = await browser.signIn(stage.url);
  await countTasks(page);
  await page.goto(stage.url);
  await ask(page, 'count 1000 every 5');
  await page.getByRole('article').getByText('999', { exact: false }).waitFor({ timeout: 60_000 });
  const frames = await page.evaluate(() => (globalThis as unknown as { frames: number[] }).frames);
  const slow = frames.filter((gap) => gap > 100).length;
  console.info(
    `200 tokens a second: longest task ${await longestTask(page)} ms, ${slow} of ${frames.length} frames late`,
  );
  expect(slow).toBeLessThan(frames.length / 4);
  await page.close();
});

/** Collects the long tasks of the page, and the time between its frames. */
async function countTasks(page: import('playwright-core').Page): Promise<void> {
  await page.addInitScript(() => {
    const tasks: number[] = [];
    const frames: number[] = [];
    Object.assign(globalThis, { tasks, frames });
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
      type: 'longtask',
      buffered: true,
    });
    let last = performance.now();
    const count = (now: number) => {
      frames.push(now - last);
      last = now;
      requestAnimationFrame(count);
    };
    requestAnimationFrame(count);
  });
}

const longestTask = (page: import('playwright-core').Page) =>
  page.evaluate(() => Math.round(Math.max(0, ...(globalThis as unknown as { tasks: number[] }).tasks)));
