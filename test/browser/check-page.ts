import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** The page is accessible and fits the window. With PICTURES set to a folder, a picture named `name` is saved there. */
export async function checkPage(page: Page, name: string): Promise<void> {
  await takePicture(page, name);
  const wide = await page.evaluate(
    () =>
      [document.documentElement, ...document.querySelectorAll('main, [role=dialog]')].filter(
        (element) => element.scrollWidth > element.clientWidth + 1,
      ).length,
  );
  expect({ name, wide }).toEqual({ name, wide: 0 });
  expect({ name, found: await findViolations(page) }).toEqual({ name, found: [] });
}

export async function takePicture(page: Page, name: string): Promise<void> {
  const folder = process.env['PICTURES'];
  if (folder) await page.screenshot({ path: `${folder}/${name}.png` });
}

/** What axe finds on the page in both themes, with the elements and what to do about them. */
export async function findViolationsInBothThemes(page: Page): Promise<string[]> {
  await showTheme(page, 'light');
  const light = await findViolations(page);
  await showTheme(page, 'dark');
  // The elements are the same; only their colours differ.
  const dark = await findViolations(page, ['color-contrast', 'link-in-text-block']);
  return [...light, ...dark.map((violation) => `dark: ${violation}`)];
}

/** Colours change at once, so that none is judged halfway. */
async function showTheme(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
  await page.locator(`html[data-theme=${theme}]`).waitFor();
}

/** What axe finds on the page, with the elements and what to do about them. All rules are checked unless some are given. */
export async function findViolations(page: Page, rules?: string[]): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  return page.evaluate(async (runOnly) => {
    type Found = { violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] };
    const { axe: loaded } = globalThis as unknown as { axe: { run: (options: object) => Promise<Found> } };
    const { violations } = await loaded.run({ resultTypes: ['violations'], ...(runOnly && { runOnly }) });
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join(' | ')}`,
    );
  }, rules);
}
