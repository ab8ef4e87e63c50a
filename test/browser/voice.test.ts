import { afterAll, beforeAll, expect, test } from 'vitest';
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

/** Replaces the browser's speech APIs, because the machine has no sound card. */
const STAND_IN = `
  globalThis.said = [];
  globalThis.SpeechSynthesisUtterance = class extends EventTarget {
    constructor(text) { super(); this.text = text; }
  };
  Object.defineProperty(globalThis, 'speechSynthesis', {
    value: { speak: (part) => said.push(part.text), cancel: () => said.push('(stop)') },
  });
  globalThis.SpeechRecognition = class {
    start() { globalThis.ears = this; }
    stop() { this.onend(); }
  };
`;

test('a message can be dictated, has thumbnails, and its answer is read aloud', async () => {
  await browser.enter(stage.url);
  const page = await browser.open();
  await page.addInitScript(STAND_IN);
  await page.goto(stage.url);
  const message = page.getByRole('textbox', { name: 'Message' });
  await message.fill('say');
  await page.getByRole('button', { name: 'Dictate' }).click();
  await page.evaluate(`ears.onresult({ resultIndex: 0, results: [
    Object.assign([{ transcript: ' **hello** ' }], { isFinal: true }),
    Object.assign([{ transcript: 'not yet' }], { isFinal: false }),
  ] })`);
  await expect.poll(() => message.inputValue()).toBe('say **hello**');
  await page.getByRole('button', { name: 'Stop dictation' }).click();
  await page.getByRole('button', { name: 'Dictate' }).waitFor();

  const dot = Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAACAkwBADs=', 'base64');
  await page.locator('input[type=file]').setInputFiles([
    { name: 'dot.gif', mimeType: 'image/gif', buffer: dot },
    { name: 'drawing.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg/>') },
  ]);
  const thumbnail = page.getByRole('img', { name: 'dot.gif' });
  await expect.poll(() => thumbnail.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(1);
  expect(await page.getByRole('list', { name: 'Attachments' }).getByRole('img').count()).toBe(1);
  await page.getByRole('button', { name: 'Remove dot.gif' }).click();
  await page.getByRole('button', { name: 'Remove drawing.svg' }).click();

  await ask(page, 'say **hello** you');
  await page.getByRole('button', { name: 'Read aloud' }).click();
  expect(await page.evaluate('said')).toEqual(['(stop)', 'hello you']);
  await page.getByRole('button', { name: 'Stop reading' }).click();
  await expect.poll(() => page.evaluate('said.at(-1)')).toBe('(stop)');
  expect(page.problems).toEqual([]);
  await page.close();
});
