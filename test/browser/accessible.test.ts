import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findViolationsInBothThemes } from './check-page.ts';
import { goWithin } from './go-within.ts';
import { openChromium } from './open-chromium.ts';
import { seedExamples } from './seed-examples.ts';
import { startStage } from './stage.ts';

let stage: Awaited<ReturnType<typeof startStage>>;
let pages: [string, string][];

beforeAll(async () => {
  stage = await startStage();
  const seeded = await seedExamples(stage);
  pages = [
    ['new thread', '/'],
    ['thread', `/threads/${seeded.tour}`],
    ['formulas and diagrams', `/threads/${seeded.drawn}`],
    ['failed turn', `/threads/${seeded.failed}`],
    ['jobs', '/settings/jobs'],
    ['memory', '/memory'],
    ['tools', '/connectors/tools'],
    ['skills', '/connectors/skills'],
    ['connectors', '/connectors'],
    ['general', '/settings/general'],
    ['instructions', '/settings/instructions'],
    ['approvals', '/settings/approvals'],
    ['notifications', '/settings/notifications'],
    ['chat apps', '/settings/chat-apps'],
    ['access', '/settings/access'],
    ['shared threads', '/settings/shared'],
    ['your data', '/settings/data'],
    ['inspector', `/turns/${seeded.turn}`],
    ['users', '/settings/users'],
    ['models', '/settings/models'],
    ['channels', '/settings/channels'],
    ['usage', '/settings/usage'],
    ['audit', '/settings/audit'],
    ['health', '/settings/health'],
    ['settings', '/settings'],
    ['missing', '/nowhere'],
  ];
});

afterAll(() => stage.close());

test.each([1280, 390])('no page has an accessibility violation at %s pixels in either theme', async (width) => {
  const browser = await openChromium({ width, touch: width < 500 });
  try {
    const page = await browser.signIn(stage.url);
    const found: string[] = [];
    for (const [name, path] of pages) {
      if (path !== '/') await goWithin(page, path);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await settled(page);
      if (name === 'thread') await page.locator(COLOURED_CODE).first().waitFor();
      found.push(...(await findViolationsInBothThemes(page)).map((violation) => `${name}: ${violation}`));
    }
    expect(found).toEqual([]);
    expect(page.problems).toEqual([]);
  } finally {
    await browser.close();
  }
});

test('neither have the menu, the palette, a dialog and the sign-in page', async () => {
  const browser = await openChromium();
  try {
    const page = await browser.signIn(stage.url);
    const found: string[] = [];
    const check = async (name: string) =>
      found.push(...(await findViolationsInBothThemes(page)).map((violation) => `${name}: ${violation}`));
    await page.getByRole('button', { name: /account and settings/ }).click();
    await page.getByRole('menuitem', { name: 'Dark' }).waitFor();
    await check('menu');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').waitFor();
    await check('palette');
    await page.keyboard.press('Escape');
    await goWithin(page, '/settings/users');
    await page.getByRole('button', { name: 'Add a user' }).click();
    await page.getByRole('dialog').waitFor();
    await check('dialog');
    await browser.context.clearCookies();
    await page.goto(stage.url);
    await page.getByLabel('Token').waitFor();
    await check('sign-in');
    expect(found).toEqual([]);
  } finally {
    await browser.close();
  }
});

/** The colours of a code block come after its text, and must be legible as well. */
const COLOURED_CODE = '[style*="--code-"]';

/** Nothing is loading any more. */
async function settled(page: Page): Promise<void> {
  await expect.poll(() => page.locator('.skeleton').count()).toBe(0);
}
