import type { Page } from 'playwright-core';

/** Opens a page of the app as its links do, without loading the app again. Its title must differ from the title of the page before. */
export async function goWithin(page: Page, path: string): Promise<void> {
  const before = await page.title();
  await page.evaluate((to) => history.pushState(null, '', to), path);
  await page.waitForFunction((title) => document.title !== title, before);
}
